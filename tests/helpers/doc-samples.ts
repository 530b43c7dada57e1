import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

export type DocSample = { heading: string; language: string; code: string };

/** The samples of a page of docs/, each with the heading that it stands under. */
export function samplesOf(file: string): DocSample[] {
  const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), "utf8");
  return text.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    const blocks = section.matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms);
    return Array.from(blocks, ([, language = "", code = ""]) => ({ heading, language, code }));
  });
}

/** The code of the one sample in this language under this heading. */
export function sampleOf(file: string, heading: string, language: string): string {
  const [sample, ...others] = samplesOf(file).filter((one) => one.heading === heading && one.language === language);
  if (!sample || others.length > 0) throw new Error(`expected one ${language} sample under ${heading} of ${file}`);
  return sample.code;
}

/** Runs a sample of JavaScript as a module that finds the packages of the project. Returns what it exports. */
export async function loadSample<T>(code: string): Promise<T> {
  const { resolve } = createRequire(import.meta.url);
  const complete = code.replace(/^import (.+) from "([\w-]+)";$/gm, (_, names: string, name: string) => {
    const isDefault = !names.startsWith("{");
    const taken = isDefault ? `{ default: ${names} }` : names;
    return `const ${taken} = await import("${pathToFileURL(resolve(name)).href}").then((all) => ({ ...all.default, ...all }));`;
  });
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(complete)}`);
}
