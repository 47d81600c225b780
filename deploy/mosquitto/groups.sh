# The groups of a vehicle, a part of provision: the rules of the broker and the vehicle's own configuration document change
# together. The program odograph publishes the document, with a login that may write no other topics.
# shellcheck shell=bash
# The variables are those of provision.
# shellcheck disable=SC2154,SC2034

# What the login for the documents may do.
groups_rules() {
    rule write +/config
    rule read +/config +/status +/reported +/response
}

# Makes the login and the profile of the program.
make_desk() {
    local name=provision role=groups is_password_given=true before secret=$desk/broker_password
    if before=$(entry "$authority/people" "$name") && [[ $before != "$role" ]]; then
        fail 1 "$name is already the name of a person with the role $before; provision group needs this name"
    fi
    mkdir -p "$desk"
    if [[ -s $secret && -n $before && -e $desk/desk.json5 ]] && grep -q "^$name:" "$broker/people.passwords"; then return; fi
    openssl rand -base64 18 | tr '+/' '-_' >"$secret"
    do_person <"$secret" >/dev/null
    say "Created the login $name, which publishes the documents of vehicles: $desk"
    write_desk
}

# Writes the profile of the program.
write_desk() {
    write_trusted "$desk/ca.crt"
    cat >"$desk/desk.json5" <<END
// Written by provision. The profile with which "provision group" publishes the documents of vehicles.
{
  root: "$root",
  fleet: "$fleet",
  broker: {
    url: "mqtts://${hosts[0]}:8884",
    username: "provision",
    password_file: "broker_password",
    tls: { ca_file: "ca.crt" },
  },
}
END
}

# permit GROUP…: lets the vehicle read the topics of these groups and of no others.
permit() {
    [[ $(entry "$authority/vehicles" "$name") == "$*" ]] && return
    remember "$authority/vehicles" "$name" "$*"
    write_rules
    tell_broker reload
}

do_group() {
    [[ -n $name ]] || fail 64 "group needs the name of a vehicle"
    ! $has_groups || fail 64 "write the groups after the vehicle: provision group $name NAME…"
    ((${#others[@]} <= 64)) || fail 64 "a vehicle has at most 64 groups"
    local before one code=0 said what both=()
    before=$(entry "$authority/vehicles" "$name") || fail 1 "unknown vehicle $name; see provision list"
    command -v odograph >/dev/null || fail 69 "odograph is missing; install the package odograph. Its service need not run here"
    [[ -n $reload_command ]] || is_of_systemd reload ||
        fail 69 "no mosquitto runs under systemd for $folder; give --reload COMMAND, which makes the broker read its files again"
    make_desk
    # In between the vehicle may read both, so that the broker refuses nothing.
    read -ra both <<<"$before"
    for one in "${others[@]}"; do is_in "$one" "${both[@]}" || both+=("$one"); done
    permit "${both[@]}"
    local new=("${others[@]}")
    ((${#new[@]} > 0)) || new=(--none)
    said=$(odograph fleet groups --profile "$desk/desk.json5" --force --timeout "$patience" "$name" "${new[@]}") || code=$?
    if [[ -n $said ]]; then say "$said"; fi
    # 69 also means that nothing was published. Then nothing is on the standard output.
    if ((code != 0)) && [[ $code != 69 || -z $said ]]; then
        fail "$code" "$name may read the topics of the former groups and of the new ones; correct the cause, and repeat the command"
    fi
    permit "${others[@]}"
    if [[ -d $folder/vehicles/$name ]]; then write_vehicle; fi
    what="the groups ${others[*]}"
    ((${#others[@]} > 0)) || what="no group"
    if ((code == 0)); then
        say "$name: $what"
    elif [[ $said == *"online, but has not reported"* ]]; then
        fail 69 "$name has not reported within $patience s. Its document says: $what; see odograph fleet status"
    else
        say "$name: $what, as soon as it connects"
    fi
}
