import { SearchX } from "lucide";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { chosenTheme } from "../../page-request.ts";

export const metadata = { title: "No such API key" };

export default async function NoSuchKey() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <Card className="w-full max-w-136">
        <EmptyState
          title="No such API key"
          art={SearchX}
          heading="h1"
          actions={<ButtonLink href="/keys">API keys</ButtonLink>}
        >
          <p>This account has no API key with this id.</p>
        </EmptyState>
      </Card>
    </NarrowFrame>
  );
}
