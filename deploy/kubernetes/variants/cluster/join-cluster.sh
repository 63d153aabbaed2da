# Runs beside a server of the Cluster for as long as the process named by the first argument. At the first start, the first
# server creates the Cluster. A server that has lost its data joins again as a replica. After a restart, servers tell each
# other their new addresses: otherwise they would not find each other if all of them restarted at once.
#
# HOST and PORT are the server's own name and port, SERVERS are "host:port …", all in a fixed order.
set -u
server=$1
every_seconds=5
create_seconds=60

# ask host:port command …
ask() {
  address=$1
  shift
  timeout 3 redis-cli -h "${address%:*}" -p "${address##*:}" "$@" 2>/dev/null
}

# The present "address:port" of a server, as it announces it.
locate() {
  ip=$(ask "$1" config get cluster-announce-ip | tail -n 1)
  [ -n "$ip" ] && echo "$ip:${1##*:}"
}

# How many servers a server knows, including itself.
known_to() {
  ask "$1" cluster info | tr -d '\r' | awk -F: '$1 == "cluster_known_nodes" { print $2 }'
}

# Only while no server belongs to a Cluster; otherwise redis-cli refuses.
create() {
  places=
  for other in $SERVERS; do
    place=$(locate "$other") || return
    places="$places $place"
  done
  # shellcheck disable=SC2086 # several words
  timeout "$create_seconds" redis-cli --cluster create $places --cluster-replicas 1 --cluster-yes
}

# Meets the servers that are not in the table, or only with an address at which they do not respond.
meet_others() {
  nodes=$(ask "$own" cluster nodes) || return
  for other in $SERVERS; do
    # In the table: id, address:port@bus,name, flags, id of its master, …, state of the connection.
    echo "$nodes" | awk -v port=":${other##*:}@" -v name=",${other%:*}" '
      $8 == "connected" && $3 !~ /fail/ && index($2, port) &&
        substr($2, length($2) - length(name) + 1) == name { is_linked = 1 }
      END { exit !is_linked }' && continue
    place=$(locate "$other") && ask "$own" cluster meet "${place%:*}" "${place##*:}"
  done
}

# A server that has lost its data comes back as a master without slots. It becomes a replica of the master with the fewest.
# Servers that choose at the same time, as they may while the Cluster is created, may choose the same master. So of a
# master with several replicas, the last one moves to a master that has none.
choose_master() {
  ask "$own" cluster info | grep -q ^cluster_state:ok || return
  master=$(ask "$own" cluster nodes | awk '
    $3 ~ /fail/ { next }
    $3 ~ /myself,master/ && NF == 8 { is_idle = 1 }
    $3 ~ /master/ && NF > 8 { masters[$1] = 1 }
    $3 ~ /slave/ { replicas[$4]++; if ($1 "" > last[$4] "") last[$4] = $1 }
    $3 ~ /myself,slave/ { own = $1; followed = $4 }
    END {
      for (id in masters) if (fewest == "" || replicas[id] + 0 < replicas[fewest] + 0) fewest = id
      is_spare = (followed in masters) && replicas[followed] > 1 && last[followed] == own
      if (is_idle || is_spare && replicas[fewest] + 0 == 0) print fewest
    }')
  [ -z "$master" ] || ask "$own" cluster replicate "$master"
}

# A replica that learns the new address of its master from a third server would keep trying the old one.
follow_master() {
  followed=$(ask "$own" info replication | tr -d '\r' | awk '
    sub(/^master_host:/, "") { host = $0 }
    sub(/^master_port:/, "") { port = $0 }
    /^master_link_status:down/ { print host ":" port }')
  [ -n "$followed" ] || return
  master=$(ask "$own" cluster nodes | awk -v followed="$followed" '
    { address = $2; sub(/@.*/, "", address); addresses[$1] = address }
    $3 ~ /myself,slave/ { master = $4 }
    END { if (addresses[master] != followed) print master }')
  [ -z "$master" ] || ask "$own" cluster replicate "$master"
}

own=$HOST:$PORT
while sleep "$every_seconds" && kill -0 "$server" 2>/dev/null; do
  case $(known_to "$own") in
    '') ;;
    1) [ "$own" != "${SERVERS%% *}" ] || create ;;
    *)
      meet_others
      choose_master
      follow_master
      ;;
  esac
done
