# Starts a Sentinel in the current folder. Keeps what it has learned, which it writes to sentinel.conf, and takes everything
# else from the ConfigMap and the Secret.
#
# HOST and PORT are its own address, FIRST_MASTER is "host port".
set -eu
umask 077

learned='^sentinel (myid|monitor|config-epoch|leader-epoch|current-epoch|known-replica|known-sentinel) '
password=$(printf %s "$REDISCLI_AUTH" | sed 's/["\\]/\\&/g')
{
  cat "$(dirname "$0")/sentinel.conf"
  cat <<END
port $PORT
sentinel announce-ip $HOST
sentinel announce-port $PORT
requirepass "$password"
sentinel auth-pass hub "$password"
END
  if grep -q '^sentinel monitor ' sentinel.conf 2>/dev/null; then
    grep -E "$learned" sentinel.conf
  else
    echo "sentinel monitor hub $FIRST_MASTER 2"
  fi
} >sentinel.conf.new
mv sentinel.conf.new sentinel.conf
exec redis-server sentinel.conf --sentinel
