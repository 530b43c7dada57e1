import { EyeOff } from "lucide";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** Shown in place of a raw key that was hidden for good, or expired. */
export function NoKeyToShow({ keysHref }: { keysHref: string }) {
  return (
    <Card>
      <EmptyState title="No key to show" art={EyeOff} actions={<ButtonLink href={keysHref}>API keys</ButtonLink>}>
        <p>A new key is shown once, for five minutes. If you did not save it, rotate the key.</p>
      </EmptyState>
    </Card>
  );
}
