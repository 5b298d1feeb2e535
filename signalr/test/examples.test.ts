import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type HubConnection, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { expect, onTestFinished, test } from 'vitest';
import type { ChatClient, ChatServer } from '../examples/chat/hub.ts';
import { typed } from '../src/client.ts';

const server = path.join(import.meta.dirname, '../examples/chat/server.ts');

test('chat example: serves the page, and two people talk', async () => {
  const child = spawn(process.execPath, [server], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = line.toString().trim();
  expect(await (await fetch(url)).text()).toContain('<title>Chat</title>');
  expect((await fetch(`${url}/signalr.js`)).status).toBe(200);
  const seen: string[] = [];
  const enter = async (name: string) => {
    const plain = new HubConnectionBuilder().withUrl(`${url}/chat`).configureLogging(LogLevel.None).build();
    onTestFinished(() => plain.stop());
    const chat = typed<ChatServer, ChatClient, HubConnection>(plain);
    chat.on('Said', (from, text) => void seen.push(`${name} sees ${from}: ${text}`));
    chat.on('Entered', (other) => void seen.push(`${name} sees ${other} enter`));
    chat.on('Left', (other) => void seen.push(`${name} sees ${other} leave`));
    await chat.start();
    return { chat, present: await chat.invoke('Enter', name) };
  };
  const anna = await enter('Anna');
  const ben = await enter('Ben');
  expect(ben.present).toEqual(['Anna', 'Ben']);
  expect(await ben.chat.invoke('Say', 'Hello')).toBe(2);
  await ben.chat.stop();
  await expect.poll(() => seen).toContain('Anna sees Ben leave');
  expect(seen.toSorted()).toEqual(
    ['Anna sees Ben enter', 'Anna sees Ben leave', 'Anna sees Ben: Hello', 'Ben sees Ben: Hello'].toSorted(),
  );
  await expect(anna.chat.invoke('Enter', ' ')).rejects.toThrow('A name has 1 to 30 characters.');
});
