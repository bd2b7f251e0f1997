#!/bin/sh
# Starts Redis with a password that is not in its command line. Counters survive a restart. If memory is full, Redis
# evicts the counters that expire first.
set -eu

exec redis-server - <<CONF
requirepass $REDIS_PASSWORD
dir ${REDIS_DIRECTORY:-/data}
port ${REDIS_PORT:-6379}
appendonly yes
maxmemory 256mb
maxmemory-policy volatile-ttl
CONF
