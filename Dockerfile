# The server with the built web. Settings: README.md; an example with everything around it: compose.yaml (docs/operations.md).
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
ENV NODE_ENV=production
COPY . .
RUN npm run prestart:production

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY contract/package.json contract/
COPY signalr/package.json signalr/
COPY server/package.json server/
# Without the built-in PostgreSQL: a container uses DATABASE_URL.
RUN npm install --omit=dev --omit=optional --no-audit --no-fund --workspace=contract --workspace=signalr --workspace=server

FROM node:24.21.0-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 HOST=0.0.0.0 DATA_DIR=/data
COPY --from=packages /app ./
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/server/migrations server/migrations
COPY --from=build /app/web/dist web/dist
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 3000) + '/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--expose-gc", "--max-semi-space-size=16", "server/dist/main.js"]
