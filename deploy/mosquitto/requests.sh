# The requests of vehicles for new certificates, a part of provision: they are fetched from the broker, signed with the
# authority's key, and answered over the broker. The key can be on a machine without a network: then files carry them.
# shellcheck shell=bash
# The variables are those of provision.
# shellcheck disable=SC2154,SC2034

# The settings of the login that reads requests and publishes certificates. They are a folder of their own, so that a
# machine without the authority can have them.
load_signer() {
    [[ -e $signer/settings ]] || fail 69 "$signer is missing; run provision signer NAME, and copy the folder to this machine"
    # shellcheck source=/dev/null
    source "$signer/settings"
}

# Makes the folder in which mosquitto_sub and mosquitto_pub find the login: each user of the machine can read arguments.
open_broker() {
    command -v mosquitto_sub >/dev/null || fail 69 "mosquitto_sub is missing; install the package mosquitto-clients"
    local tool
    for tool in mosquitto_sub mosquitto_pub; do
        printf '%s\n' "-h ${host%:*}" "-p ${host##*:}" "--cafile $signer/ca.crt" "-u $login" \
            "-P $(cat "$signer/broker_password")" "-q 1" "-V 5" >"$scratch/$tool"
    done
}

of_broker() { XDG_CONFIG_HOME=$scratch "$@"; }

# fetch_requests FOLDER: writes the requests that the broker retains to FOLDER/NAME.csr, and to FOLDER/held a line "NAME END"
# for each vehicle with the end of the certificate with which it is connected, by its own report.
fetch_requests() {
    local topic bytes vehicle child end last="$root/$fleet/all/certificate" tenths=$((wait * 10))
    rm -f "$1"/*.csr "$1"/*.crt
    : >"$1/held.new"
    # Retained messages come in the order of the filters. No vehicle has the name "all", so this one is the last.
    end=$(of_broker mosquitto_pub -t "$last" -r -m end 2>&1) || end+=" "
    [[ -z $end ]] || fail 69 "the broker $host: $end"
    of_broker mosquitto_sub -t "$root/$fleet/+/certificate/request" -t "$root/$fleet/+/reported" -t "$last" --retained-only \
        -W "$wait" -F '%t %x' >"$scratch/said" 2>"$scratch/errors" &
    child=$!
    until grep -q "^$last " "$scratch/said" || ! kill -0 "$child" 2>/dev/null || ((tenths-- < 0)); do sleep 0.1; done
    kill "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
    of_broker mosquitto_pub -t "$last" -r -n 2>/dev/null || true
    grep -q "^$last " "$scratch/said" ||
        fail 69 "the broker $host has not sent all requests within $wait s; give a longer --wait: $(head -n 1 "$scratch/errors")"
    # The messages are of anybody, and can be very long.
    awk -v root="$root/$fleet/" '
        { name = $1; sub(root, "", name); sub("/.*", "", name) }
        $1 ~ "/request$" && length($2) > 8192 { print "provision: " name ": the request is too large" >"/dev/stderr"; next }
        length($2) <= 1048576' "$scratch/said" >"$scratch/short"
    while read -r topic bytes; do
        vehicle=${topic#"$root/$fleet/"} vehicle=${vehicle%%/*}
        [[ $vehicle =~ ^$word$ && $bytes =~ ^[0-9a-f]+$ ]] && ((${#bytes} % 2 == 0)) || continue
        case $topic in
            */certificate/request) unhex "$bytes" >"$1/$vehicle.csr" ;;
            */reported)
                end=$(unhex "$bytes" | sed -n 's/.*"certificates":{[^}]*"vehicle":"\([0-9TZ:.-]*\)".*/\1/p')
                if [[ -n $end ]]; then say "$vehicle $end" >>"$1/held.new"; fi
                ;;
        esac
    done <"$scratch/short"
    mv "$1/held.new" "$1/held"
}

# unhex DIGITS: prints the bytes.
unhex() {
    # shellcheck disable=SC2001
    printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"
}

# look_at_broker: notes with which certificates the vehicles are connected, if this machine has the login.
look_at_broker() {
    [[ -e $signer/settings ]] || return 0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    load_signer
    open_broker
    fetch_requests "$scratch"
    mv "$scratch/held" "$authority/held"
}

# key_of REQUEST: prints a name of the key of a request; nothing if it has none.
key_of() {
    local key
    key=$(openssl req -noout -pubkey -in "$1" 2>/dev/null) && [[ -n $key ]] || return 0
    sha256sum <<<"$key" | cut -d ' ' -f 1
}

# refuse_key REQUEST: a request with this key is never signed.
refuse_key() {
    local key
    key=$(key_of "$1")
    if [[ -n $key ]] && ! is_refused "$1"; then say "$key" >>"$authority/refused_keys"; fi
}

# is_refused REQUEST: whether the request has the key of one that was refused because its vehicle was revoked.
is_refused() {
    local key
    key=$(key_of "$1")
    [[ -n $key && -e $authority/refused_keys ]] && grep -qx "$key" "$authority/refused_keys"
}

# was_revoked NAME: whether a certificate of the name was revoked.
was_revoked() { awk -F '\t' -v subject="/CN=$1" '$1 == "R" && $6 == subject { found = 1 } END { exit !found }' "$authority/index.txt"; }

# doubt_requests_of NAME: the name of a revoked machine is admitted again. The broker may retain a request of that machine,
# which must not be signed: the one that the next look at the broker finds is refused.
doubt_requests_of() {
    touch "$authority/doubtful"
    remember "$authority/doubtful" "$1"
}

# problem_of_request NAME FILE: prints why the request of a vehicle is not signed; nothing if it is.
problem_of_request() {
    local said
    [[ -n $(serials "$1") ]] || {
        say "the vehicle has no valid certificate; run provision vehicle $1"
        return
    }
    said=$(openssl req -verify -noout -in "$2" 2>&1) || true
    [[ $said == *"verify OK"* ]] || {
        say "the request is not signed with its own key"
        return
    }
    said=$(openssl req -noout -subject -nameopt RFC2253 -in "$2" 2>/dev/null) || true
    [[ $said == "subject=CN=$1" || $said == "subject= CN=$1" ]] || {
        say "the request is for another name: ${said#subject=}"
        return
    }
    said=$(openssl req -noout -pubkey -in "$2" 2>/dev/null | openssl pkey -pubin -noout -text 2>/dev/null) || true
    [[ $said == *prime256v1* ]] || say "the key is not on the curve P-256"
}

# sign_requests FOLDER: writes FOLDER/NAME.crt for each FOLDER/NAME.csr. A request that was signed before gets the same
# certificate. Sets refused to the number of refusals.
sign_requests() {
    local file vehicle problem target count=0
    refused=0
    for file in "$1"/*.csr; do
        [[ -e $file ]] || continue
        vehicle=$(basename "$file" .csr)
        # The broker retains the request of a vehicle that is gone, so it is no error.
        if ! entry "$authority/vehicles" "$vehicle" >/dev/null; then
            refuse_key "$file"
            say "$vehicle: not a vehicle of this fleet, or revoked; remove its request with odograph fleet forget $vehicle"
            rm -f "$1/$vehicle.crt"
            continue
        fi
        if [[ -e $authority/doubtful ]] && entry "$authority/doubtful" "$vehicle" >/dev/null; then refuse_key "$file"; fi
        if is_refused "$file"; then
            say "$vehicle: this request was made before the vehicle was revoked; the vehicle of this name must ask anew"
            rm -f "$1/$vehicle.crt"
            continue
        fi
        problem=$(problem_of_request "$vehicle" "$file")
        if [[ -n $problem ]]; then
            printf 'provision: %s: %s\n' "$vehicle" "$problem" >&2
            refused=$((refused + 1))
            rm -f "$1/$vehicle.crt"
            continue
        fi
        target=$folder/vehicles/$vehicle
        if ! is_answered "$file" "$target/renewed.crt"; then
            mkdir -p "$target"
            sign vehicle "$file" "$target/new.crt"
            mv "$target/new.crt" "$target/renewed.crt"
            say "$vehicle: signed a certificate, valid until $(until_day "$target/renewed.crt")"
        fi
        cp "$target/renewed.crt" "$1/$vehicle.crt"
        if [[ -e $authority/introduction.pem ]]; then cat "$authority/introduction.pem" >>"$1/$vehicle.crt"; fi
        count=$((count + 1))
    done
    say "Requests: $count signed, $refused refused"
    # All requests were there, so those that come later are of the machines that have the names now.
    if [[ $1/held -nt $authority/doubtful ]]; then rm -f "$authority/doubtful"; fi
    if [[ -e $1/held ]]; then cp "$1/held" "$authority/held"; fi
    # An expired list would lock out all vehicles, so each new certificate renews it where the broker reads it.
    if ((count > 0)) && [[ -d $broker ]]; then write_revocations; fi
}

# is_answered REQUEST CERTIFICATE: whether a certificate is for the key of a request.
is_answered() {
    holds "$2" && is_of_authority "$2" || return 1
    [[ $(openssl req -noout -pubkey -in "$1") == $(openssl x509 -noout -pubkey -in "$2") ]]
}

# publish_certificates FOLDER: publishes each FOLDER/NAME.crt to its vehicle.
publish_certificates() {
    local file vehicle said count=0
    for file in "$1"/*.crt; do
        [[ -e $file ]] || continue
        vehicle=$(basename "$file" .crt)
        # An answer without a request is of an earlier exchange.
        [[ $vehicle =~ ^$word$ && -e $1/$vehicle.csr ]] || continue
        said=$(of_broker mosquitto_pub -t "$root/$fleet/$vehicle/certificate" -r -f "$file" 2>&1) || said+=" "
        [[ -z $said ]] || fail 69 "the broker $host does not take the certificate of $vehicle: $said"
        count=$((count + 1))
    done
    say "Certificates published: $count"
}

do_requests() {
    local exchange
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    case $way in
        export)
            load_signer
            open_broker
            mkdir -p "$exchange_folder"
            fetch_requests "$exchange_folder"
            say "Now sign the requests: provision requests --sign $exchange_folder, on the machine with the authority"
            ;;
        sign)
            load_settings
            sign_requests "$exchange_folder"
            say "Now publish the certificates: provision requests --import $exchange_folder, on the machine with $signer"
            ;;
        import)
            load_signer
            open_broker
            publish_certificates "$exchange_folder"
            ;;
        '')
            load_settings
            load_signer
            open_broker
            exchange=$scratch/exchange
            mkdir "$exchange"
            fetch_requests "$exchange"
            sign_requests "$exchange"
            publish_certificates "$exchange"
            ;;
    esac
    ((${refused:-0} == 0)) || exit 2
}

# write_signer LOGIN: writes where the broker is, and the login.
write_signer() {
    local host=${hosts[0]}:8884 login=$1
    declare -p root fleet host login | sed 's/^declare [-a]* //' >"$signer/settings"
    write_trusted "$signer/ca.crt"
}

# Prints the login in the folder.
signer_login() {
    # shellcheck source=/dev/null
    (source "$signer/settings" && say "$login")
}

# After a change of the broker's names its own programs use the first one.
move_signer() {
    if [[ -e $signer/settings ]]; then write_signer "$(signer_login)"; fi
}

do_signer() {
    [[ -n $name ]] || fail 64 "signer needs a name"
    local before
    if before=$(entry "$authority/people" "$name") && [[ $before != certificates ]]; then
        fail 1 "$name is already the name of a person with the role $before"
    fi
    role=certificates
    mkdir -p "$signer"
    local login=$name
    if [[ -s $signer/broker_password && -e $signer/settings ]] && [[ $(signer_login) == "$name" ]]; then
        do_person
    else
        openssl rand -base64 18 | tr '+/' '-_' >"$signer/broker_password"
        is_password_given=true
        do_person <"$signer/broker_password"
    fi
    write_signer "$login"
    say "provision requests uses $signer. It can be on another machine than the authority; only root may read it"
}
