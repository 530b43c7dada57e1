import { SPECULATION_RULES } from "#domain/load-ahead.ts";
import { THEME_COOKIE } from "#domain/theme.ts";
import { behave } from "./page-behaviour.ts";

/**
 * The script of every page, and the rules by which the browser loads pages ahead. They are in the document itself, so they need
 * no request. `nonce` is that of the answer's policy; undefined where the policy names the scripts' hashes.
 */
export function PageScript({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own code */}
      <script nonce={nonce} dangerouslySetInnerHTML={{ __html: `(${behave})("${THEME_COOKIE}")` }} />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own rules */}
      <script type="speculationrules" nonce={nonce} dangerouslySetInnerHTML={{ __html: SPECULATION_RULES }} />
    </>
  );
}
