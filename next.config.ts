import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";

const config: NextConfig = {
  // These open sockets and worker threads of their own: they are loaded from node_modules, not bundled.
  serverExternalPackages: ["postgres", "pino", "stripe"],
  poweredByHeader: false,
  reactStrictMode: true,
  // No image of ours needs another size, and its endpoint would make one of whatever a caller names.
  images: { unoptimized: true },
  // `npm run check` looks at the types, of the tests too: whoever only builds should not depend on those.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    // Names of errors stay readable in the log.
    serverMinification: false,
    // Its index names 1,700 icons.
    optimizePackageImports: ["lucide"],
  },
};

/** Pages whose file ends in `.dev.tsx` are for whoever develops: a production build does not see them. */
export default function settings(phase: string): NextConfig {
  const isDevelopment = phase === PHASE_DEVELOPMENT_SERVER;
  return { ...config, pageExtensions: [...(isDevelopment ? ["dev.tsx"] : []), "tsx", "ts"] };
}
