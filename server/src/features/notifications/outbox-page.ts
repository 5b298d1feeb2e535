import type { FastifyInstance } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { escapeHtml } from './mail-frame.ts';
import type { OutboxAttachment } from './outbox.ts';
import { outboxTexts as texts } from './texts.ts';

/** Limit of messages on the page. */
const maxMessages = 100;

/** Registers GET /dev/outbox in the demo: the messages that would have been sent. It needs no sign-in. */
export function registerOutbox(app: FastifyInstance, context: Context): void {
  if (!context.demo) return;
  app.get('/dev/outbox.css', (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(css),
  );
  app.get('/dev/outbox', async (_request, reply) => {
    const rows = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      tx.selectFrom('outbox').selectAll().orderBy('outbox_id', 'desc').limit(maxMessages).execute(),
    );
    const messages = rows.map((row) => ({ ...row, attachments: row.attachments as unknown as OutboxAttachment[] }));
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page(messages));
  });
}

interface Message {
  readonly outbox_id: number;
  readonly occurred_at: string;
  readonly method: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body_text: string;
  readonly attachments: readonly OutboxAttachment[];
}

const times = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  // The messages belong to several clinics.
  timeZone: 'UTC',
  timeZoneName: 'short',
});

function page(messages: readonly Message[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${texts.title}</title><link rel="stylesheet" href="/dev/outbox.css"></head>
<body><main><header><h1>${texts.title}</h1><a href="/dev/outbox">${texts.refresh}</a></header>
<p>${texts.about}</p>
${messages.length === 0 ? `<p>${texts.empty}</p>` : messages.map(article).join('\n')}
</main></body></html>
`;
}

function article(message: Message): string {
  const title = `message-${message.outbox_id}`;
  const method = message.method === 'email' ? texts.email : texts.text;
  const attachments = message.attachments.map(
    ({ name, text }) =>
      `<details><summary>${texts.attachment}: ${escapeHtml(name)}</summary><pre>${escapeHtml(text)}</pre></details>`,
  );
  return `<article aria-labelledby="${title}">
<h2 id="${title}">${escapeHtml(message.subject || method)}</h2>
<p class="about">${method} · ${texts.to} ${escapeHtml(message.recipient)} · <time datetime="${message.occurred_at}">${times.format(new Date(message.occurred_at))}</time></p>
<pre>${withLinks(message.body_text)}</pre>
${attachments.join('\n')}
</article>`;
}

/** Escapes a text and turns web addresses into links; a bracket or full stop at the end is not part of the address. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']*[^\s<>"'().,;:!?])/)
    .map((part, index) => {
      const escaped = escapeHtml(part);
      return index % 2 === 0 ? escaped : `<a href="${escaped}" target="_blank" rel="noopener">${escaped}</a>`;
    })
    .join('');
}

// The content security policy allows no inline styles. The colors are those of the web's tokens.css.
const css = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f6f8f9, #0d1416); color: light-dark(#17242b, #e6edf0); }
main { max-width: 44rem; margin: 0 auto; padding: 1rem; }
header { display: flex; align-items: center; justify-content: space-between; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
a { color: light-dark(#0f766e, #5fd0c2); }
header a { padding: 0.75rem; }
article { margin: 1rem 0; padding: 1rem; border: 1px solid light-dark(#d9e0e4, #2b3a40); border-radius: 10px; background: light-dark(#ffffff, #141d20); }
.about { margin: 0.25rem 0 0.75rem; font-size: 0.9rem; color: light-dark(#4d5d66, #a3b3ba); overflow-wrap: anywhere; }
pre { margin: 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { padding: 0.75rem 0; cursor: pointer; }
details pre { font: 0.85rem/1.4 ui-monospace, monospace; }
`;
