# Debian's slim image: the same C library as everywhere that the tests run, and a shell for `petstore keys create`. Alpine has another C library (musl), and
# distroless neither a shell nor this version of Node.
FROM node:20.20.2-bookworm-slim AS build

RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ make python3 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY package.json package-lock.json ./
# better-sqlite3 is compiled here, with the headers that the image has, rather than fetched as a binary from elsewhere.
RUN npm_config_build_from_source=true npm_config_nodedir=/usr/local npm ci

COPY tsconfig.json ./
COPY generated ./generated
COPY spec ./spec
COPY src ./src
# Of the sources a running service reads what is not compiled: SQL, Lua, and the page at /docs. Of better-sqlite3 it needs the compiled library alone.
RUN npm run build \
    && chmod +x dist/cli/petstore.js \
    && npm prune --omit=dev \
    && find src -type f -name '*.ts' -delete \
    && find src -type d -empty -delete \
    && mv node_modules/better-sqlite3/build/Release/better_sqlite3.node /tmp/ \
    && rm -rf node_modules/better-sqlite3/build node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
    && mkdir -p node_modules/better-sqlite3/build/Release \
    && mv /tmp/better_sqlite3.node node_modules/better-sqlite3/build/Release/

FROM node:20.20.2-bookworm-slim

WORKDIR /app
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/spec ./spec
COPY --from=build /app/src ./src
COPY --from=build /app/dist ./dist
# The one place that the service writes to, and only without DATABASE_URL and REDIS_URL; the rest of the image may be read-only.
RUN ln -s /app/dist/cli/petstore.js /usr/local/bin/petstore \
    && install -d -o node -g node -m 0700 /var/lib/petstore

ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/petstore
VOLUME /var/lib/petstore
EXPOSE 8080
USER node

# Whether the process answers; whether its stores do is what /readyz says, and no reason to restart it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Node itself is the first process, so that it gets SIGTERM. It starts no others, so there are none to look after.
CMD ["node", "dist/main.js"]
