#!/bin/sh
# Redis with a password that no list of processes shows. Counters survive a restart; where memory is short, addresses are given up first.
set -eu

exec redis-server - <<CONF
requirepass $REDIS_PASSWORD
dir ${REDIS_DIRECTORY:-/data}
port ${REDIS_PORT:-6379}
appendonly yes
maxmemory 256mb
maxmemory-policy volatile-ttl
CONF
