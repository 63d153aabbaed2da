# Starts a server of the Cluster in the current folder. Redis itself keeps its role, in nodes.conf.
#
# HOST and PORT are the server's own name and port, POD_IP is its present address.
set -eu
umask 077

password=$(printf %s "$REDISCLI_AUTH" | sed 's/["\\]/\\&/g')
{
  cat "$(dirname "$0")/redis.conf"
  cat <<END
port $PORT
cluster-announce-ip $POD_IP
cluster-announce-hostname $HOST
requirepass "$password"
masterauth "$password"
END
} >redis.conf
# The server keeps this process id.
sh "$(dirname "$0")/join-cluster.sh" $$ &
exec redis-server redis.conf
