# The image of Stopwatch, for every part: docs/containers.md.
#
# Both bases can be others: the first needs Node.js 24 in /usr/local/bin with npm and a shell, the second glibc and libstdc++.
ARG BUILD_BASE=node:24-trixie-slim
ARG RUN_BASE=debian:trixie-slim

FROM ${BUILD_BASE} AS build
WORKDIR /build
# The packages first: they stay in the cache while sources change.
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY cli/package.json cli/
COPY patches patches/
COPY scripts/apply-patches.mjs scripts/
# The secret is the .npmrc of a registry of your own, where you have one.
RUN --mount=type=secret,id=npmrc,target=/usr/local/etc/npmrc npm ci --omit=dev
COPY . .
RUN npm run build -- --to /stopwatch && mkdir /data

FROM ${RUN_BASE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /stopwatch /stopwatch
# For mails where no mail provider is set. All else stays as it is: the root file system may be read-only.
COPY --from=build --chown=1000:1000 /data /data
WORKDIR /stopwatch
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 3000 9464
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/usr/local/bin/node", "scripts/stopwatch.ts", "health"]
ENTRYPOINT ["/usr/local/bin/node", "/stopwatch/scripts/stopwatch.ts"]
