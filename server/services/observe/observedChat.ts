/** A chat service that others may watch: who records requests, who traces them. Watching changes nothing. */

import type { ChatEvent, ChatOutcome, ChatService } from '../chat/chatService.ts';
import { type ChatOrigin, currentRequest } from './chatOrigin.ts';

/** What is asked, as it reaches the service. */
export type ObservedRequest = Parameters<ChatService['run']>[0];

/** Watches one request. */
export interface ChatObservation {
	event(event: ChatEvent): void;
	end(outcome: ChatOutcome | undefined, error: unknown): void;
}

export interface ChatObserver {
	/** `undefined` when it does not watch this one. */
	begin(request: ObservedRequest, context: ChatOrigin | undefined): ChatObservation | undefined;
}

export function observedChat(chat: ChatService, observers: readonly ChatObserver[]): ChatService {
	return {
		countTokens: chat.countTokens,
		check: chat.check,
		run: async (request, onEvent, signal) => {
			const context = currentRequest();
			const watching = observers
				.map((observer) => observer.begin(request, context))
				.filter((observation) => observation !== undefined);
			if (watching.length === 0) return chat.run(request, onEvent, signal);
			try {
				const outcome = await chat.run(
					request,
					(event) => {
						for (const observation of watching) observation.event(event);
						onEvent(event);
					},
					signal,
				);
				for (const observation of watching) observation.end(outcome, undefined);
				return outcome;
			} catch (error) {
				for (const observation of watching) observation.end(undefined, error);
				throw error;
			}
		},
	};
}
