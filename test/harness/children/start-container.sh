# Runs a command as the first process of a container, as a container engine would. It is started in mount, network and
# host name namespaces of its own; `containers.ts` describes the variables.
set -eu
echo $$ > "$PID_FILE"
echo "$HOST_NAME" > /proc/sys/kernel/hostname
[ -z "$CGROUP" ] || echo $$ > "$CGROUP/cgroup.procs"

mount --bind "$ROOT" "$ROOT"
mount -t tmpfs -o mode=755,nosuid dev "$ROOT/dev"
for name in null zero full random urandom tty; do
  : > "$ROOT/dev/$name"
  mount --bind "/dev/$name" "$ROOT/dev/$name"
done
ln -s /proc/self/fd "$ROOT/dev/fd"
mkdir "$ROOT/dev/shm"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec,size=64m shm "$ROOT/dev/shm"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$ROOT/sys"
mount --bind "$HOSTS_FILE" "$ROOT/etc/hosts"
printf '%s' "$MOUNTS" | while read -r kind source target options; do
  mkdir -p "$ROOT$target"
  if [ "$kind" = bind ]; then mount --bind "$source" "$ROOT$target"
  else mount -t "$kind" -o "$options" "$source" "$ROOT$target"; fi
done
[ "$READ_ONLY" != true ] || mount -o remount,bind,ro "$ROOT"

ip link set lo up
if [ -n "$NETWORK" ]; then
  in_network() { nsenter --net="/proc/$NETWORK/ns/net" "$@"; }
  in_network ip link add "$LINK" type veth peer name eth0 netns $$
  in_network ip link set "$LINK" master bridge up
  for address in $ADDRESSES; do ip address add "$address" dev eth0; done
  ip link set eth0 up
fi

# A change of user lets a process outlive its parent, so there is one around it that keeps its user and takes the others of
# its namespace with it. `setpriv` and `env` are those of the container.
exec unshare --pid --fork --kill-child unshare --pid --fork --mount-proc --root="$ROOT" "$@"
