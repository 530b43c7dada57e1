import { SearchX } from "lucide";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { chosenTheme } from "./page-request.ts";

export const metadata = { title: "Not found" };

export default async function NotFound() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <Card className="w-full max-w-136">
        <EmptyState
          title="Nothing is here"
          art={SearchX}
          heading="h1"
          actions={<ButtonLink href="/">Start again</ButtonLink>}
        >
          <p>This address leads to no page. It may have been typed wrong, or what it named is gone.</p>
        </EmptyState>
      </Card>
    </NarrowFrame>
  );
}
