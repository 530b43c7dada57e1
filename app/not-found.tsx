import { MissingCard } from "#components/layout/missing-card.tsx";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { chosenTheme } from "./page-request.ts";

export const metadata = { title: "Not found" };

/** The answer to every path that no page has. */
export default async function NotFound() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <NothingHere />
    </NarrowFrame>
  );
}

/** What is said of a page that does not exist. */
export function NothingHere() {
  return (
    <MissingCard title="Nothing is here" actions={<ButtonLink href="/">Start again</ButtonLink>}>
      <p>This address leads to no page. It may have been typed wrong, or what it named is gone.</p>
    </MissingCard>
  );
}
