import { isoNow } from '../../platform/clock.ts';
import { pageAddress } from '../../platform/page-host.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { exportReadyTexts as texts } from './texts.ts';

export const exportReadyQueue = 'export-ready-mail';

export interface ExportReadyJob {
  companyId: number;
  userId: number;
  exportId: number;
}

/** Mails the administrator who asked for an export that it can be downloaded. The mail has no data of the clinic but its name. */
export async function deliverExportReady(
  context: JobContext,
  transports: Transports,
  { companyId, userId, exportId }: ExportReadyJob,
): Promise<void> {
  const found = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .selectFrom('data_exports as e')
      .innerJoin('users as u', 'u.user_id', 'e.by_user_id')
      .innerJoin('companies as c', 'c.company_id', 'e.company_id')
      .select(['u.first_name', 'u.last_name', 'u.email', 'c.company_name', 'c.front_end_url'])
      .where('e.export_id', '=', exportId)
      .where('u.user_id', '=', userId)
      .where('u.disabled', '=', false)
      .where('e.state', '=', 'ready')
      .where('e.expires_at', '>', isoNow(context.clock))
      .executeTakeFirst(),
  );
  if (!found) return;
  const subject = texts.subject(found.company_name);
  const blocks: Block[] = [
    { text: texts.greeting(found.first_name) },
    { text: texts.ready(found.company_name) },
    { link: `${pageAddress(context, found.front_end_url)}/#/admin/data`, label: texts.button },
    { text: texts.expires },
    { note: texts.notYou },
  ];
  const mail = {
    id: `export-${exportId}`,
    to: { name: `${found.first_name} ${found.last_name}`, address: found.email },
    replyTo: '',
    subject,
    ...renderMail(subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail about an export', { userId, exportId });
}
