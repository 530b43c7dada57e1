// Runs the checks, bundled as a Worker, in workerd. Arguments: the bundle, the surroundings.
import { Miniflare } from "miniflare";

const [scriptPath, surroundings] = process.argv.slice(2);
const worker = new Miniflare({ modules: true, scriptPath, compatibilityDate: "2026-07-01" });
const answer = await worker.dispatchFetch("http://localhost/", { method: "POST", body: surroundings });
console.log(await answer.text());
await worker.dispose();
