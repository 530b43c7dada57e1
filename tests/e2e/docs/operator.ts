import { resolve } from "node:path";

/** What changes nothing outside of the database of the installation. */
const COMMANDS = ["account", "doctor", "keys:rotate", "migrate", "reconcile"];

/**
 * Has the `npm run` commands of a script act in this checkout, on the installation with these settings. Throws an Error
 * when one of them would act on more.
 */
export function forOperator(script: string, settings: Readonly<Record<string, string>>): string {
  const commands = [...script.matchAll(/\bnpm run (?:--\S+ )*([\w:-]+)/g)].map(([, name = ""]) => name);
  if (commands.length === 0) return script;
  const others = commands.filter((name) => !COMMANDS.includes(name));
  if (others.length > 0) throw new Error(`npm run ${others} is not run here: see exceptions.ts`);
  const given = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  return `npm() { (cd '${resolve(".")}' && ${given.join(" ")} command npm "$@"); }\n${script}`;
}
