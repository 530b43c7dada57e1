import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_BUILD } from "next/constants.js";

// Next.js derives the ids of server actions from this key, by default a new one in each build. Then a form from one web
// process could not be sent to another that was built elsewhere, or after an upgrade. The key is no secret: besides, it
// only encrypts variables that actions close over, and ours close over none.
// biome-ignore lint/style/noProcessEnv: Next.js reads it there alone
process.env.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY ??= Buffer.from("no secret: actions close over 0.").toString("base64");

const filesOf = (folder: string) => [
  `./${folder}/dist/**`,
  `./${folder}/package.json`,
  `./${folder}/README.md`,
  "./LICENSE",
];

const config: NextConfig = {
  // Loaded from node_modules instead of bundled: they open sockets and worker threads.
  serverExternalPackages: ["postgres", "pino", "stripe"],
  output: "standalone",
  poweredByHeader: false,
  reactStrictMode: true,
  // What the pages of /docs and the addresses of the packages read.
  outputFileTracingIncludes: {
    "/**": ["./docs/*.{md,json}", "./CHANGELOG.md"],
    "/sdk/**": filesOf("sdk"),
    "/sdk.tgz": filesOf("sdk"),
    "/cli/**": filesOf("cli"),
    "/cli.tgz": filesOf("cli"),
  },
  // The optimizer's library for images, below.
  outputFileTracingExcludes: { "**": ["./node_modules/sharp/**", "./node_modules/@img/**"] },
  rewrites: async () => [
    { source: "/docs/:page.md", destination: "/docs/markdown/:page" },
    { source: "/.well-known/security.txt", destination: "/security.txt" },
  ],
  // Their addresses of before.
  redirects: async () => [{ source: "/docs/markdown/:page", destination: "/docs/:page.md", permanent: true }],
  // No image needs resizing, and the optimizer's endpoint would fetch and resize whatever a caller names.
  images: { unoptimized: true },
  // `npm run check` checks types, including the tests', which a build should not depend on.
  typescript: { ignoreBuildErrors: true },
  // In development Next.js would write what forms send into its log.
  logging: { serverFunctions: false },
  // Pages have theirs from the HTTP guard or `proxy.ts`, routes from `toResponse`.
  headers: async () => [{ source: "/_next/:path*", headers: [{ key: "X-Content-Type-Options", value: "nosniff" }] }],
  experimental: {
    // What `proxy.ts` is called with, as below. Next.js reads the body before.
    proxyClientMaxBodySize: "8mb",
    // The most that `formBytesMax` in domain/plans.ts allows: larger bodies are rejected before they are read.
    serverActions: { bodySizeLimit: "8mb" },
    // Keeps error names readable in the log.
    serverMinification: false,
    // Its index imports 1,700 icons.
    optimizePackageImports: ["lucide"],
  },
};

/** Here, since every way to a build passes here. `next start` does not load the compilers. */
async function buildServedFiles(): Promise<void> {
  const { buildPackage } = await import("./scripts/packages/build-package.ts");
  const { writeIndex } = await import("./server/docs/search/index.ts");
  writeIndex();
  await Promise.all([buildPackage("sdk"), buildPackage("cli")]);
}

/** Pages in `*.dev.tsx` exist only under `next dev`. */
export default async function settings(phase: string): Promise<NextConfig> {
  const isDevelopment = phase === PHASE_DEVELOPMENT_SERVER;
  if (isDevelopment || phase === PHASE_PRODUCTION_BUILD) await buildServedFiles();
  return { ...config, pageExtensions: [...(isDevelopment ? ["dev.tsx"] : []), "tsx", "ts"] };
}
