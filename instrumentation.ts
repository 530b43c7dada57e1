import type { Instrumentation } from "next";

/** Next.js calls this once before it serves anything. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it, and leaves the import out of the edge bundle
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { start } = await import("#server/start.ts");
    await start();
  }
}

/** Next.js calls this for each page that fails: the line has the request's id, which the page shows. */
export const onRequestError: Instrumentation.onRequestError = async (error, request) => {
  // biome-ignore lint/style/noProcessEnv: as above
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { logFailedPage } = await import("#server/http/log-page-error.ts");
    logFailedPage(error, request);
  }
};
