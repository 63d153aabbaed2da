# Starts Redis in the current folder as the master or as a replica. The role is what most Sentinels say. If none responds, it
# is the role before the restart, which Redis itself keeps in redis.conf, or that of a first start.
#
# HOST and PORT are the server's own address, FIRST_MASTER is "host port", SENTINELS are "host:port …".
set -eu
umask 077

master=$(
  for sentinel in $SENTINELS; do
    timeout 2 redis-cli -h "${sentinel%:*}" -p "${sentinel##*:}" sentinel get-master-addr-by-name hub | xargs
  done 2>/dev/null | grep -E '^[^ ]+ [0-9]+$' | sort | uniq -c | sort -rn | awk '{ print $2, $3; exit }'
)
if [ -z "$master" ] && [ -s redis.conf ]; then
  master=$(tr -d '"' <redis.conf | awk -v own="$HOST $PORT" '$1 == "replicaof" { own = $2 " " $3 } END { print own }')
fi
master=${master:-$FIRST_MASTER}

password=$(printf %s "$REDISCLI_AUTH" | sed 's/["\\]/\\&/g')
{
  cat "$(dirname "$0")/redis.conf"
  cat <<END
port $PORT
replica-announce-ip $HOST
requirepass "$password"
masterauth "$password"
END
  [ "$master" = "$HOST $PORT" ] || echo "replicaof $master"
} >redis.conf.new
mv redis.conf.new redis.conf
exec redis-server redis.conf
