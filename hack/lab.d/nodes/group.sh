# shellcheck shell=bash disable=SC2034,SC2154
# A node's control groups: one below the root of each hierarchy that the machine has, made by us and named after lab
# and node. Existing groups and mounts are left alone. Everything that a node starts is in one of them.

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  hierarchies=(/sys/fs/cgroup) tracked=/sys/fs/cgroup # version 2
else
  hierarchies=() tracked=/sys/fs/cgroup/pids # version 1
  for each in /sys/fs/cgroup/*/cgroup.procs; do hierarchies+=("${each%/*}"); done
fi

group() { echo "ql3-lab-$id-$1"; }

# daemons NODE: the file that takes the pid of one of the node's own programs.
daemons() { echo "$tracked/$(group "$1")/system/cgroup.procs"; }

# make_group NODE
make_group() {
  local hierarchy controller file
  for hierarchy in "${hierarchies[@]}"; do
    mkdir -p "$hierarchy/$(group "$1")"
    for controller in cpu cpuset hugetlb memory pids; do # version 2; the kubelet asks for all that the root has
      ! grep -qsw $controller "$hierarchy/cgroup.controllers" || echo +$controller >"$hierarchy/cgroup.subtree_control"
    done
    for file in cpuset.cpus cpuset.mems; do # version 1 leaves them empty, and takes no process then
      [ ! -e "$hierarchy/$file" ] || cat "$hierarchy/$file" >"$hierarchy/$(group "$1")/$file"
    done
  done
  mkdir -p "$tracked/$(group "$1")/system"
}

# end_group NODE: kills what is in it, containers too, and removes it.
end_group() {
  local hierarchy processes
  # A group or process that is gone when it is read or killed is as good; the next look tells.
  for _ in {1..100}; do
    processes=$(find "$tracked/$(group "$1")" -name cgroup.procs -exec cat {} + 2>/dev/null) || true
    [ -n "$processes" ] || break
    # shellcheck disable=SC2086
    kill -s KILL $processes 2>/dev/null || true
    sleep 0.05
  done
  for hierarchy in "${hierarchies[@]}"; do
    [ ! -d "$hierarchy/$(group "$1")" ] || find "$hierarchy/$(group "$1")" -depth -type d -exec rmdir {} +
  done
}
