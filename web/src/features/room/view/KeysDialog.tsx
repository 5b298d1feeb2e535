import { FormControlLabel, Switch } from '@mui/material';
import { Button } from '../../../ui/Button.tsx';
import { DialogFrame } from '../../../ui/DialogFrame.tsx';
import { texts } from '../texts.ts';
import type { Tool } from './tools.ts';
import { useShortcutsOn } from './use-shortcuts.ts';

const words = texts.keys;

/** The keys of the tools, and a switch for them. */
export function KeysDialog({ tools, onClose }: { tools: readonly Tool[]; onClose: () => void }) {
  const [on, setOn] = useShortcutsOn();
  return (
    <DialogFrame
      title={words.title}
      width="sm"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {words.close}
        </Button>
      }
    >
      <dl className="room-keys" data-off={!on || undefined}>
        {tools
          .filter(({ key }) => key)
          .map(({ id, key, label }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd>
                {key?.split('+').map((part) => (
                  <kbd key={part}>{part}</kbd>
                ))}
              </dd>
            </div>
          ))}
        <div>
          <dt>{words.help}</dt>
          <dd>
            <kbd>?</kbd>
          </dd>
        </div>
      </dl>
      <FormControlLabel
        control={<Switch checked={on} onChange={(_event, checked) => setOn(checked)} />}
        label={words.on}
      />
    </DialogFrame>
  );
}
