# Copies the primary before the first start of the other server, for as long as it takes. Does nothing if there is data.
#
# POD_NAME is this server, PRIMARY the one to copy.
set -eu
if [ "$POD_NAME" = "$PRIMARY" ] || [ -s "$PGDATA/PG_VERSION" ]; then exit; fi

export PGPASSWORD="$POSTGRES_PASSWORD"
copy=$PGDATA.copy
# An interrupted copy must never be started.
until
  rm -rf "$copy"
  pg_basebackup --pgdata "$copy" --wal-method stream --checkpoint fast \
    --dbname "host=$PRIMARY.agent-hub-postgres user=hub"
do
  sleep 2
done
touch "$copy/standby.signal"
rm -rf "$PGDATA"
mv "$copy" "$PGDATA"
