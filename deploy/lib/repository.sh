# A signed repository for apt, as a folder that any web server serves. Sourced by bash, after common.sh.
# shellcheck shell=bash

# The packages for these scripts.
repository_packages=(apt-utils gnupg xz-utils)
# The name of the key in the repository, and of the keyring on a machine.
keyring=odograph.gpg

# make_repository FOLDER KEY PACKAGE…: makes a repository with the suite "stable", signed with a key of the user's gpg. It
# replaces what is in the folder. The time in it is SOURCE_DATE_EPOCH.
make_repository() {
    local folder=$1 key=$2 package name architecture architectures=() list
    shift 2
    rm -rf "${folder:?}/dists" "$folder/pool"
    for package in "$@"; do
        name=$(dpkg-deb --field "$package" Package)
        install -D -m 644 "$package" "$folder/pool/main/${name:0:1}/$name/${package##*/}"
        architectures+=("$(dpkg-deb --field "$package" Architecture)")
    done
    mapfile -t architectures < <(printf '%s\n' "${architectures[@]}" | sort -u)
    for architecture in "${architectures[@]}"; do
        list=dists/stable/main/binary-$architecture/Packages
        install -d "$folder/${list%/*}"
        (cd "$folder" && apt-ftparchive --arch "$architecture" packages pool) >"$folder/$list"
        gzip -9nk "$folder/$list"
        xz -9k "$folder/$list"
    done
    apt-ftparchive -o APT::FTPArchive::Release::Origin=Odograph -o APT::FTPArchive::Release::Label=Odograph \
        -o APT::FTPArchive::Release::Suite=stable -o APT::FTPArchive::Release::Codename=stable \
        -o APT::FTPArchive::Release::Components=main -o APT::FTPArchive::Release::Architectures="${architectures[*]}" \
        -o APT::FTPArchive::Release::Date="$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" \
        release "$folder/dists/stable" >"$folder/release"
    mv "$folder/release" "$folder/dists/stable/Release"
    sign "$key" --clearsign --output "$folder/dists/stable/InRelease" "$folder/dists/stable/Release"
    sign "$key" --armor --detach-sign --output "$folder/dists/stable/Release.gpg" "$folder/dists/stable/Release"
    gpg --batch --yes --export --output "$folder/$keyring" "$key"
    chmod -R u=rwX,go=rX "$folder"
}

# sign KEY ARGUMENT…: runs gpg with a key.
sign() {
    gpg --batch --yes --quiet --local-user "$1" "${@:2}" || fail 1 "gpg cannot sign with the key \"$1\""
}

# make_test_key FOLDER: makes a key for a check, in a gpg home of its own. $GNUPGHOME is that folder, $test_key the key.
make_test_key() {
    export GNUPGHOME=$1
    install -d -m 700 "$GNUPGHOME"
    # shellcheck disable=SC2034 # The caller uses it.
    test_key="Odograph check <check@odograph.example.org>"
    gpg --batch --quiet --passphrase '' --quick-generate-key "$test_key" ed25519 sign never 2>/dev/null ||
        fail 1 "gpg cannot make a key"
}

# make_web_certificate FOLDER: makes a certificate for packages.example, which a check serves a repository with.
make_web_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=packages.example \
        -addext subjectAltName=DNS:packages.example -keyout "$1/web.key" -out "$1/web.crt" 2>/dev/null
}

# serve_repository FOLDER CERTIFICATES: serves a folder as https://packages.example/odograph, on this machine.
serve_repository() {
    python3 - "$1" "$2" >/dev/null 2>&1 <<'PYTHON' &
import functools, http.server, ssl, sys
folder, certificates = sys.argv[1:]

class Handler(http.server.SimpleHTTPRequestHandler):
    # With HTTP/1.0 the end of a file is the end of the connection, which OpenSSL takes for an attack.
    protocol_version = "HTTP/1.1"

    def translate_path(self, path):
        return super().translate_path(path.removeprefix("/odograph"))

server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), functools.partial(Handler, directory=folder))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{certificates}/web.crt", f"{certificates}/web.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PYTHON
}
