/** A part of a mail's body, rendered as plain text and as HTML. */
export type Block =
  | { readonly text: string }
  /** A button, followed by the address as text. */
  | { readonly link: string; readonly label: string }
  | { readonly facts: readonly (readonly [name: string, value: string])[] }
  /** Small print. */
  | { readonly note: string };

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML text and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] as string);

// Mail programs ignore style sheets: each element has a style attribute. The button has the accent of tokens.css.
const styles = {
  body: 'margin:0;padding:24px 16px;background:#f3f5f7;color:#1b2733;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif',
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px',
  title: 'margin:0 0 16px;font-size:22px;line-height:1.3',
  text: 'margin:0 0 16px',
  fact: 'margin:0 0 4px',
  button:
    'display:inline-block;padding:12px 24px;background:#0f766e;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none',
  url: 'margin:0 0 16px;font-size:14px;word-break:break-all',
  note: 'margin:0 0 8px;font-size:14px;color:#51606e',
} as const;

/** Returns a mail's body as plain text and as HTML. */
export function renderMail(title: string, blocks: readonly Block[]): { text: string; html: string } {
  const text = `${blocks.map(textOf).join('\n\n')}\n`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title></head>
<body style="${styles.body}"><div style="${styles.card}">
<h1 style="${styles.title}">${escapeHtml(title)}</h1>
${blocks.map(htmlOf).join('\n')}
</div></body></html>
`;
  return { text, html };
}

function textOf(block: Block): string {
  if ('text' in block) return block.text;
  if ('link' in block) return `${block.label}:\n${block.link}`;
  if ('note' in block) return block.note;
  return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
}

function htmlOf(block: Block): string {
  if ('text' in block) return `<p style="${styles.text}">${escapeHtml(block.text)}</p>`;
  if ('note' in block) return `<p style="${styles.note}">${escapeHtml(block.note)}</p>`;
  if ('link' in block) {
    const url = escapeHtml(block.link);
    return `<p style="${styles.text}"><a href="${url}" style="${styles.button}">${escapeHtml(block.label)}</a></p>
<p style="${styles.url}"><a href="${url}">${url}</a></p>`;
  }
  const facts = block.facts.map(
    ([name, value]) => `<p style="${styles.fact}">${escapeHtml(name)}: <strong>${escapeHtml(value)}</strong></p>`,
  );
  return `<div style="${styles.text}">${facts.join('\n')}</div>`;
}
