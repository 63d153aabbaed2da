# Creates a bridge in a network namespace of its own. Arguments: the file for the process id, the addresses of the bridge.
set -eu
echo $$ > "$1"
# With an address of its own. Otherwise it takes one of a container, and the others lose it when that one changes.
ip link add bridge address 02:00:00:00:00:01 type bridge
for address in $2; do ip address add "$address" dev bridge; done
ip link set lo up
ip link set bridge up
echo connected
exec sleep infinity
