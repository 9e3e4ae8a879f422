/** What is known of model families by their `model_type`: architecture and task. Sizes always come from the files. */

import type { ModelTask } from '../../protocol/index.ts';
import type { ModelDescription } from '../api.ts';

/** Architecture and task of a family. */
export interface Family {
	readonly architecture: ModelDescription['architecture'];
	readonly task: ModelTask;
}

const seq2seq: Family = { architecture: 'encoder-decoder', task: 'translation' };
const speech: Family = { architecture: 'encoder-decoder', task: 'automatic-speech-recognition' };
const encoder: Family = { architecture: 'encoder', task: 'embeddings' };
const reranker: Family = { architecture: 'encoder', task: 'rerank' };
const classifier: Family = { architecture: 'encoder', task: 'text-classification' };
const segmentation: Family = { architecture: 'audio', task: 'speaker-segmentation' };
const voices: Family = { architecture: 'audio', task: 'speaker-embedding' };
const decoder: Family = { architecture: 'decoder', task: 'text-generation' };

const known: Readonly<Record<string, Family>> = {
	marian: seq2seq,
	m2m_100: seq2seq,
	m2m100: seq2seq,
	nllb: seq2seq,
	'nllb-moe': seq2seq,
	t5: seq2seq,
	mt5: seq2seq,
	umt5: seq2seq,
	mbart: seq2seq,
	bart: seq2seq,
	whisper: speech,
	moonshine: speech,
	pyannote: segmentation,
	'wespeaker-resnet': voices,
	wespeaker: voices,
	eres2net: voices,
	eres2netv2: voices,
	campplus: voices,
	bert: encoder,
	distilbert: encoder,
	roberta: encoder,
	'xlm-roberta': encoder,
	mpnet: encoder,
	nomic_bert: encoder,
	'nomic-bert': encoder,
	modernbert: encoder,
	'gte-new': encoder,
	new: encoder,
	electra: encoder,
	albert: encoder,
	deberta: encoder,
	'deberta-v2': encoder,
	mobilebert: encoder,
	qwen2: decoder,
	qwen3: decoder,
	qwen3_moe: decoder,
	mixtral: decoder,
	olmoe: decoder,
	qwen2_moe: decoder,
	llama: decoder,
	mistral: decoder,
	ministral: decoder,
	phi: decoder,
	phi3: decoder,
	phi3small: decoder,
	phimoe: decoder,
	gemma: decoder,
	gemma2: decoder,
	gemma3: decoder,
	gemma3_text: decoder,
	gemma3n_text: decoder,
	smollm3: decoder,
	gpt2: decoder,
	gpt_neo: decoder,
	gpt_neox: decoder,
	gptj: decoder,
	gpt_bigcode: decoder,
	gpt_oss: decoder,
	gptoss: decoder,
	granite: decoder,
	granitemoe: decoder,
	granitemoehybrid: decoder,
	olmo: decoder,
	olmo2: decoder,
	olmo3: decoder,
	stablelm: decoder,
	starcoder2: decoder,
	falcon: decoder,
	bloom: decoder,
	opt: decoder,
	mpt: decoder,
	cohere: decoder,
	cohere2: decoder,
	helium: decoder,
	glm: decoder,
	glm4: decoder,
	exaone: decoder,
	ernie4_5: decoder,
	hunyuan_v1_dense: decoder,
	lfm2: decoder,
	nemotron: decoder,
	chatglm: decoder,
	internlm2: decoder,
	arcee: decoder,
	apertus: decoder,
	seed_oss: decoder,
	idefics3: decoder,
	smolvlm: decoder,
	qwen2_vl: decoder,
	qwen2_5_vl: decoder,
	decoder: decoder,
};

/** The family of a `model_type`, when it is one of those known by name. */
export function familyOf(modelType: string): Family | undefined {
	return Object.hasOwn(known, modelType) ? known[modelType] : undefined;
}

/**
 * An encoder that judges instead of giving vectors, as its class and the number of its labels say: one thing about
 * two texts, or which of several labels is right.
 */
export function judgeOf(
	family: Family,
	architectures: readonly string[],
	labels: number,
): Family | undefined {
	if (family.architecture !== 'encoder') return undefined;
	const names = (ending: RegExp) => architectures.some((name) => ending.test(name));
	if (names(/ForSequenceClassification$/)) return labels === 1 ? reranker : classifier;
	return names(/ForTokenClassification$/) ? classifier : undefined;
}

/** Guess from the class name in `architectures` for a `model_type` not in the table. */
export function familyFromArchitectures(architectures: readonly string[]): Family | undefined {
	for (const name of architectures) {
		if (/ForAudioFrameClassification$/.test(name)) return segmentation;
		if (/^WeSpeaker|^ERes2Net|^CAMPPlus|ForXVector$/.test(name)) return voices;
		if (/ForSpeechSeq2Seq$|^Whisper|^Moonshine/.test(name)) return speech;
		if (/ForCausalLM$|LMHeadModel$/.test(name)) return decoder;
		if (/ForConditionalGeneration$|MTModel$/.test(name)) return seq2seq;
		if (/Model$|ForMaskedLM$|ForSequenceClassification$/.test(name)) return encoder;
	}
	return undefined;
}
