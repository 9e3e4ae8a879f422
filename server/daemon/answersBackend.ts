/** The parts of the daemon that keep responses and conversations. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ChatService } from '../services/chat/chatService.ts';
import type { Logger } from '../services/logger.ts';
import { answerLimits } from '../services/responses/answerLimits.ts';
import { createAnswerStore } from '../services/responses/answerThread.ts';
import { ConversationsService } from '../services/responses/conversationsService.ts';
import { RedisAnswers } from '../services/responses/redisAnswers.ts';
import { ResponsesService } from '../services/responses/responsesService.ts';
import type { RedisLink } from '../services/shared/redisLink.ts';
import type { Activity } from './activity.ts';

export interface AnswerParts {
	readonly chat: ChatService;
	readonly activity: Activity;
	readonly log: Logger;
	/** What replicas share: they keep in it. */
	readonly shared?: { readonly link: RedisLink } | undefined;
}

export function createAnswers(
	{ dataDir, env }: { readonly dataDir: string; readonly env: NodeJS.ProcessEnv },
	{ chat, activity, log, shared }: AnswerParts,
) {
	const limits = answerLimits(env);
	const others = shared === undefined ? undefined : new RedisAnswers(shared.link, limits);
	const answers = others ?? createAnswerStore({ path: join(dataDir, 'responses.db'), limits });
	const keeping = {
		...{ store: answers, keeps: limits.days > 0 },
		randomId: () => randomBytes(16).toString('hex'),
		now: () => Math.floor(Date.now() / 1000),
	};
	return {
		answers,
		responses: new ResponsesService({ chat, activity, log, others, ...keeping }),
		conversations: new ConversationsService(keeping),
	};
}
