import { connect } from "node:net";
import { explainFailure, failureCode } from "./local-failure.ts";

const PROBE_MS = 2_000;

/** What is wrong with the local server, as far as opening a connection shows it; undefined when it takes one. */
export function probe(to: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const port = Number(to.port || (to.protocol === "https:" ? 443 : 80));
    const socket = connect({ host: to.hostname.replace(/^\[(.*)\]$/, "$1"), port, timeout: PROBE_MS });
    const end = (problem: string | undefined) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(explainFailure("ETIMEDOUT", { to })));
    socket.once("error", (error) => end(explainFailure(failureCode(error), { to })));
  });
}
