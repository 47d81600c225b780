# The change of the authority, a part of provision. For a time there are two: first the next one beside the one in use, then
# the one in use beside the former one. introduction.pem makes vehicles trust the newer one: it has its certificate, and a
# second certificate of the same name and key that the older one has signed.
# shellcheck shell=bash
# The variables are those of provision.
# shellcheck disable=SC2154

# write_trusted FILE: writes all authorities that count at present.
write_trusted() {
    local one
    for one in ca next former; do
        if [[ -e $authority/$one.crt ]]; then cat "$authority/$one.crt"; fi
    done >"$1.new"
    if [[ $1 == "$broker"/* ]]; then replace "$1.new" "$1"; else mv "$1.new" "$1"; fi
}

# write_revocations: writes one list for each authority. A broker that has none of the authority of a certificate refuses it.
write_revocations() {
    local one
    for one in ca next former; do
        [[ -e $authority/$one.key ]] || continue
        PROVISION_NAMES=DNS:none openssl_quietly ca -config "$authority/openssl.cnf" -cert "$authority/$one.crt" \
            -keyfile "$authority/$one.key" -gencrl -out "$broker/one.crl"
        cat "$broker/one.crl"
    done >"$broker/new.crl"
    rm -f "$broker/one.crl"
    replace "$broker/new.crl" "$broker/revoked.crl"
}

# The folders that are copied to vehicles, recorders and the machine of the signer trust what the broker trusts.
spread_trusted() {
    local file
    write_trusted "$broker/ca.crt"
    for file in "$folder"/vehicles/*/ca.crt "$folder"/recorders/*/ca.crt "$signer/ca.crt" \
        "$desk/ca.crt"; do
        if [[ -e $file ]]; then cp "$broker/ca.crt" "$file"; fi
    done
    write_revocations
}

# Prints the vehicles for whose newest certificate a check fails, or which are not connected with it yet.
vehicles_without() {
    local who what certificate
    # shellcheck disable=SC2034
    while read -r who what; do
        certificate=$(newest "$who")
        "$1" "$certificate" && has_taken "$who" "$certificate" || say "$who"
    done <"$authority/vehicles"
}

# has_taken NAME CERTIFICATE: whether the vehicle was connected with the certificate when the broker was last looked at. One
# from the folder of the vehicle was carried there by hand.
has_taken() {
    [[ $2 == */renewed.crt ]] || return 0
    local held
    held=$(entry "$authority/held" "$1" 2>/dev/null) || return 1
    [[ $(date -u -d "$held" +%s 2>/dev/null) == "$(end_second "$2")" ]]
}

# is_introduced CERTIFICATE: whether the certificate was made together with the introduction.
is_introduced() { [[ $1 -nt $authority/introduction.pem ]]; }

# is_of_authority CERTIFICATE: whether the authority in use has signed a certificate.
is_of_authority() { openssl verify -CAfile "$authority/ca.crt" "$1" >/dev/null 2>&1; }

# refuse_for CHECK WORDS: fails if a check fails for a vehicle, unless --force is given.
refuse_for() {
    local names
    $is_forced && return
    look_at_broker
    names=$(vehicles_without "$1" | paste -s -d ' ')
    [[ -z $names ]] || fail 1 "$2: $names. Run provision requests when they are online; --force goes on without them, and they need a new folder"
}

do_authority() {
    case $name in
        add) add_authority ;;
        use) use_authority ;;
        drop) drop_authority ;;
        *) fail 64 "authority needs add, use or drop" ;;
    esac
}

add_authority() {
    [[ ! -e $authority/former.crt ]] || fail 1 "the former authority still counts; run provision authority drop first"
    [[ ! -e $authority/introduction.pem ]] || fail 1 "there is a next authority already; continue with provision authority use"
    local subject
    subject="/CN=$root $fleet authority $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    new_key "$authority/new.key"
    local PROVISION_NAMES=DNS:none
    export PROVISION_NAMES
    openssl_quietly req -new -x509 -config "$authority/openssl.cnf" -extensions authority_of_a_fleet \
        -key "$authority/new.key" -sha256 -days "$authority_days" -subj "$subject" -out "$authority/new.crt"
    openssl_quietly req -new -config "$authority/openssl.cnf" -key "$authority/new.key" -subj "$subject" \
        -out "$authority/new.csr"
    # It ends with the authority that has signed it, or before.
    openssl_quietly x509 -req -in "$authority/new.csr" -CA "$authority/ca.crt" -CAkey "$authority/ca.key" \
        -set_serial "0x$(openssl rand -hex 16)" -sha256 -days "$authority_days" -extfile "$authority/openssl.cnf" \
        -extensions authority_of_a_fleet -out "$authority/new.cross.crt"
    mv "$authority/new.key" "$authority/next.key"
    mv "$authority/new.crt" "$authority/next.crt"
    cat "$authority/next.crt" "$authority/new.cross.crt" >"$authority/introduction.new"
    rm -f "$authority/new.csr" "$authority/new.cross.crt"
    mv "$authority/introduction.new" "$authority/introduction.pem"
    spread_trusted
    say "Created the next authority. Copy $broker/ca.crt to recorders and desks, send all vehicles renew_certificate, and run provision requests"
    tell_broker restart
}

use_authority() {
    [[ -e $authority/introduction.pem ]] || fail 1 "there is no next authority; run provision authority add"
    if [[ -e $authority/next.key ]]; then
        refuse_for is_introduced "these vehicles do not know the next authority yet, or have not taken their certificate"
        # After an interruption a repeated command continues.
        if [[ ! -e $authority/former.key ]]; then
            cp "$authority/ca.crt" "$authority/former.crt"
            cp "$authority/ca.key" "$authority/former.new"
            mv "$authority/former.new" "$authority/former.key"
        fi
        if [[ -e $authority/next.crt ]]; then mv "$authority/next.crt" "$authority/ca.crt"; fi
        mv "$authority/next.key" "$authority/ca.key"
    fi
    broker_certificate
    spread_trusted
    say "The new authority is in use: for the broker now, for vehicles with their next certificate. Send all vehicles renew_certificate, and run provision requests"
    tell_broker restart
}

drop_authority() {
    [[ -e $authority/former.crt && ! -e $authority/next.key ]] || fail 1 "there is no former authority; see provision authority use"
    refuse_for is_of_authority "these vehicles have a certificate of the former authority, or have not taken the new one"
    rm -f "$authority/former.crt" "$authority/former.key" "$authority/introduction.pem"
    spread_trusted
    say "The former authority does not count any more. Copy $broker/ca.crt to recorders and desks"
    tell_broker restart
}
