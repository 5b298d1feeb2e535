import { Box, Card } from '@mui/material';
import { useState } from 'react';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import { Section } from '../../ui/Section.tsx';
import { row, Still } from './parts.tsx';
import { texts } from './texts.ts';

/** The controls that patients see. */
export function PatientsPages() {
  const [code, setCode] = useState('');
  const nothing = () => undefined;
  return (
    <Section title="Patients’ pages">
      <Card sx={{ display: 'grid', gap: 2, p: 2, bgcolor: 'background.default' }}>
        <TextField label={texts.code} value={code} onChange={setCode} hint={texts.codeHint} />
        <TextField label={texts.code} value="ABC" onChange={nothing} error={texts.codeError} />
        <Notice kind="info">{texts.messages.info}</Notice>
        <Notice kind="success">{texts.messages.success}</Notice>
        <Notice kind="error">{texts.messages.error}</Notice>
        <Box sx={row}>
          <Button>{texts.looks.primary}</Button>
          <Button look="secondary">{texts.looks.secondary}</Button>
          <Button look="quiet">{texts.looks.quiet}</Button>
          <Button look="danger">{texts.looks.danger}</Button>
          <Button look="danger-primary">{texts.looks['danger-primary']}</Button>
          <Button busy>{texts.busy}</Button>
        </Box>
      </Card>
    </Section>
  );
}

/** A whole page as patients see it. */
export function PatientsPage() {
  const nothing = () => undefined;
  return (
    <Section title="Page of a patient">
      {/* A second page within this one, as high as the window. */}
      <Still>
        <Card sx={{ bgcolor: 'background.default', '& .rs-page': { minHeight: 0 }, '& .rs-page-main': { my: 4 } }}>
          <Page
            eyebrow={texts.page.eyebrow}
            step={texts.page.step}
            title={texts.page.title}
            keepFocus
            aside={
              <a className="rs-link" href="#/dev/design">
                {texts.page.aside}
              </a>
            }
            foot={texts.page.foot}
          >
            <p className="rs-text">{texts.page.text}</p>
            <form className="rs-form">
              <TextField label={texts.reason} value={texts.reasonText} onChange={nothing} maxLength={200} counter />
              <Button>{texts.page.action}</Button>
              <Button disabled>{texts.disabled}</Button>
              <ButtonLink href="#/dev/design">{texts.page.link}</ButtonLink>
            </form>
          </Page>
        </Card>
      </Still>
    </Section>
  );
}
