/** Next.js calls this once before it serves anything. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it, and leaves the import out of the edge bundle
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { start } = await import("#server/start.ts");
    await start();
  }
}
