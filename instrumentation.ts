import type { Instrumentation } from "next";

/** Next.js calls this once before it serves requests. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it, and leaves the import out of the edge bundle
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { start } = await import("#server/start.ts");
    await start();
  }
}

/** Next.js calls this for each page that throws. The log line has the request id that the error page shows. */
export const onRequestError: Instrumentation.onRequestError = async (error, request) => {
  // biome-ignore lint/style/noProcessEnv: as above
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { logPageError } = await import("#server/http/log-page-error.ts");
    logPageError(error, request);
  }
};
