#!/bin/sh
# certificates.sh FOLDER: makes an authority (ca.pem), and a certificate of it for localhost (here.pem, here.key), and one for
# another host (there.pem, there.key).
set -eu
mkdir -p "$1" && cd "$1"
new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
exec 2>openssl.log
openssl req -x509 $new -days 2 -subj "/CN=Halyard test authority" -addext "keyUsage=critical,keyCertSign" -keyout ca.key -out ca.pem
certificate() {
  printf 'subjectAltName=%s\nbasicConstraints=CA:FALSE\n' "$2" >"$1.ext"
  openssl req $new -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile "$1.ext" -out "$1.pem"
}
certificate here DNS:localhost,IP:127.0.0.1
certificate there DNS:cache.example
