import { Ellipsis } from "lucide";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { Checkbox, Radio, Switch } from "#components/ui/choice.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Dialog, DialogClose, Popover } from "#components/ui/overlay.tsx";
import { Section } from "./section.tsx";

/** Choices, summaries, dialogs and popovers. */
export function OverlayParts() {
  return (
    <Section title="Choices, a form's errors, what lies over the page" columns>
      <Card>
        <CardBody className="grid gap-3">
          <Checkbox name="notices" label="Mail me when a schedule is dead" defaultChecked />
          <Checkbox name="off" label="Not to be chosen" hint="Indie has this." disabled />
          <Switch name="refresh" label="Refresh by itself" defaultChecked />
          <Switch name="keys" label="Single-key shortcuts" hint="Turn them off when you dictate." />
          <fieldset className="grid">
            <legend className="font-medium text-sm">Strategy</legend>
            <Radio name="strategy" value="exponential" label="exponential" defaultChecked />
            <Radio name="strategy" value="fixed" label="fixed" />
          </fieldset>
        </CardBody>
      </Card>
      <ErrorSummary
        takesFocus={false}
        problems={[
          { id: "gallery-url", message: "Targets are public https:// addresses." },
          { id: "gallery-when", message: "26 March, 09:00 has passed." },
        ]}
      />
      <ErrorSummary takesFocus={false} problems={[{ id: "gallery-url", message: "Name a URL." }]} />
      <Card>
        <CardBody className="flex flex-wrap gap-2">
          <Dialog
            button="Cancel 1,281"
            kind="danger"
            title="Cancel 1,281 schedules?"
            foot={(id) => (
              <>
                <DialogClose dialogId={id}>Keep them</DialogClose>
                <Button kind="danger-fill">Cancel 1,281</Button>
              </>
            )}
          >
            <p>
              All scheduled ones that match “example.com”. Those that begin to fire meanwhile are skipped and named
              afterwards. They still count in March.
            </p>
          </Dialog>
          <Popover button={<Icon of={Ellipsis} />} square aria-label="Actions">
            <div className="grid">
              <ButtonLink href="#replay" kind="ghost" className="justify-start">
                Replay
              </ButtonLink>
              <ButtonLink href="#clone" kind="ghost" className="justify-start">
                Clone
              </ButtonLink>
            </div>
          </Popover>
        </CardBody>
      </Card>
    </Section>
  );
}
