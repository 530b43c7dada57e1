import type { NextConfig } from "next";

const config: NextConfig = {
  // pino and postgres.js open sockets and worker threads of their own: they are loaded from node_modules, not bundled.
  serverExternalPackages: ["postgres", "pino"],
  poweredByHeader: false,
  reactStrictMode: true,
  // Names of errors stay readable in the log.
  experimental: { serverMinification: false },
};

export default config;
