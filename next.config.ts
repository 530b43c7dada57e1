import type { NextConfig } from "next";

const config: NextConfig = {
  // pino and postgres.js open sockets and worker threads of their own: they are loaded from node_modules, not bundled.
  serverExternalPackages: ["postgres", "pino"],
  poweredByHeader: false,
  reactStrictMode: true,
  // No image of ours needs another size, and its endpoint would make one of whatever a caller names.
  images: { unoptimized: true },
  // `npm run check` looks at the types, of the tests too: whoever only builds should not depend on those.
  typescript: { ignoreBuildErrors: true },
  // Names of errors stay readable in the log.
  experimental: { serverMinification: false },
};

export default config;
