import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import {
  type ChatText,
  type DataMessage,
  messageType,
  type PresentPeer,
  type PushedMessage,
  type Sender,
} from '@roomside/contract/room/messages.ts';
import { decodeJwt } from 'jose';
import { expect, onTestFinished } from 'vitest';
import type { Person, TestApp } from './test-app.ts';

export interface ReceivedMessage {
  message: PushedMessage;
  user: Sender;
}

/** Connects by the unmodified client, without automatic reconnect. The connection stops when the test ends. */
export async function connectHub(
  app: TestApp,
  person: Person,
  headers: Record<string, string> = {},
  { resumes = false }: { resumes?: boolean } = {},
) {
  const builder = new HubConnectionBuilder()
    .withUrl(`${app.url}/messaging`, { accessTokenFactory: () => person.token ?? '', headers })
    .configureLogging(LogLevel.None);
  if (resumes) builder.withStatefulReconnect();
  const connection = builder.build();
  const received: ReceivedMessage[] = [];
  let closed: Error | true | undefined;
  let hasJoined = false;
  connection.on('Notify', (message: PushedMessage, user: Sender) => {
    if (message.type === messageType.joined) hasJoined = true;
    else received.push({ message, user });
  });
  connection.onclose((error) => {
    closed = error ?? true;
  });
  await connection.start();
  onTestFinished(() => connection.stop());
  // What is pushed to staff before is lost.
  if (isStaffOfCompany(person)) await expect.poll(() => hasJoined || closed !== undefined).toBe(true);
  return {
    connection,
    received,
    types: () => received.map(({ message }) => message.type),
    closed: () => closed,
    subscribe: (session: string) => connection.invoke<PresentPeer[]>('Subscribe', session),
    unsubscribe: (session: string) => connection.invoke('Unsubscribe', session),
    sendData: (data: DataMessage) => connection.invoke('SendData', data),
    sendText: (text: ChatText) => connection.invoke<number>('SendText', text),
    /** Drops the connection without a close message, like a closed laptop. */
    dropConnection: () => {
      const { _socket } = (
        connection as unknown as { connection: { transport: { _webSocket: { _socket: { destroy(): void } } } } }
      ).connection.transport._webSocket;
      _socket.destroy();
    },
    /** Waits for a message of this type. Returns the first. */
    waitFor: async (type: number) => {
      await expect.poll(() => received.some(({ message }) => message.type === type)).toBe(true);
      return received.find(({ message }) => message.type === type) as ReceivedMessage;
    },
  };
}

function isStaffOfCompany({ token }: Person): boolean {
  if (!token) return false;
  const { roles, company } = decodeJwt<TokenClaims>(token);
  return roles !== 'P' && roles !== 'G' && company !== undefined;
}
