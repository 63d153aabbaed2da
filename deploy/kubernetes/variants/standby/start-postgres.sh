# Starts Postgres as the primary, or as the standby if copy-primary.sh or an earlier start has made it one.
#
# POD_NAME is this server. PRIMARY is the one that waits for its standby, so that a failover loses no acknowledged write. A
# promoted standby does not wait until it is named here, because there is no second standby.
set -eu
case $POD_NAME in
  *-0) other=${POD_NAME%-0}-1 ;;
  *) other=${POD_NAME%-1}-0 ;;
esac
set -- -c "hba_file=$(dirname "$0")/pg_hba.conf"
set -- "$@" -c "primary_conninfo=host=$other.agent-hub-postgres user=hub application_name=standby"
if [ "$POD_NAME" = "$PRIMARY" ]; then set -- "$@" -c synchronous_standby_names=standby; fi
# The first start creates the database `hub`, which must not wait for a standby that cannot connect yet.
if [ ! -s "$PGDATA/PG_VERSION" ]; then export PGOPTIONS='-c synchronous_commit=local'; fi
# The standby connects with it.
export PGPASSWORD="$POSTGRES_PASSWORD"
exec docker-entrypoint.sh postgres "$@"
