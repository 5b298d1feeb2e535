import { exportCsv } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { saveFile, sendForFile } from '../../api/send.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { kindTexts } from './kind-texts.ts';
import { Note, Tools } from './Step.tsx';
import { texts } from './texts.ts';

/** All rows of a kind, in the format of its import. */
export function ExportSection({ type }: { type: ImportType }) {
  const [isLoading, setLoading] = useState(false);
  const { export: offered } = kindTexts[type];
  if (!offered) return null;
  const query = { type: offered.type };
  async function save() {
    setLoading(true);
    try {
      saveFile(await sendForFile(exportCsv, { query }));
    } catch (error) {
      toast.error(wordsFor(error));
    }
    setLoading(false);
  }
  return (
    <Section title={texts.exports}>
      <Note>{texts.exportText}</Note>
      <Tools>
        <Button look="secondary" disabled={isLoading} onClick={() => void save()}>
          {offered.label}
        </Button>
      </Tools>
    </Section>
  );
}
