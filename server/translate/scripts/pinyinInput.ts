/**
 * Pinyin → characters, as a simple input method does it: known words first, then the most frequent
 * character of each syllable. Meant as a source for translation, not as a spelling aid.
 */

const characters =
	'a啊ai爱an安ang昂ao奥ba吧bai百ban办bang帮bao报bei被ben本beng崩bi比bian变biao表bie别bin宾bing并bo波bu不ca擦cai才can参cang藏cao草ce测cen岑ceng层cha查chai拆chan产chang长chao超che车chen陈cheng成chi吃chong重chou抽chu出chuai揣chuan传chuang创chui吹chun春chuo戳ci次cong从cou凑cu粗cuan窜cui催cun村cuo错da大dai带dan但dang当dao到de的deng等di地dian点diao调die爹ding定diu丢dong东dou都du度duan段dui对dun顿duo多e饿en恩er而fa发fan反fang方fei非fen分feng风fo佛fou否fu服ga嘎gai该gan干gang刚gao高ge个gei给gen跟geng更gong工gou够gu古gua挂guai怪guan关guang光gui贵gun滚guo国ha哈hai还han汉hang航hao好he和hei黑hen很heng横hong红hou后hu户hua话huai坏huan换huang黄hui会hun混huo或ji机jia家jian见jiang将jiao叫jie节jin进jing经jiong窘jiu就ju局juan卷jue觉jun军ka卡kai开kan看kang康kao考ke可ken肯keng坑kong空kou口ku苦kua跨kuai快kuan宽kuang况kui亏kun困kuo扩la拉lai来lan蓝lang浪lao老le了lei类leng冷li里lia俩lian连liang两liao料lie列lin林ling零liu六long龙lou楼lu路lv绿luan乱lve略lun论luo落ma吗mai买man慢mang忙mao毛me么mei没men们meng梦mi米mian面miao秒mie灭min民ming名miu谬mo末mou某mu目na那nai乃nan难nang囊nao脑ne呢nei内nen嫩neng能ni你nian年niang娘niao鸟nie捏nin您ning宁niu牛nong农nu努nv女nuan暖nve虐nuo诺o哦ou欧pa怕pai排pan判pang旁pao跑pei配pen喷peng朋pi批pian片piao票pie撇pin品ping平po破pou剖pu普qi起qia恰qian前qiang强qiao桥qie且qin亲qing请qiong穷qiu求qu去quan全que却qun群ran然rang让rao绕re热ren人reng仍ri日rong容rou肉ru如ruan软rui瑞run润ruo若sa撒sai赛san三sang桑sao扫se色sen森seng僧sha杀shai晒shan山shang上shao少she设shei谁shen什sheng生shi是shou手shu书shua刷shuai帅shuan栓shuang双shui水shun顺shuo说si四song送sou搜su速suan算sui随sun孙suo所ta他tai太tan谈tang堂tao套te特teng疼ti题tian天tiao条tie铁ting听tong同tou头tu图tuan团tui推tun吞tuo托wa哇wai外wan完wang网wei为wen文weng翁wo我wu五xi系xia下xian现xiang想xiao小xie些xin新xing行xiong兄xiu修xu需xuan选xue学xun寻ya呀yan言yang样yao要ye也yi一yin因ying应yo哟yong用you有yu于yuan元yue月yun运za杂zai在zan咱zang脏zao早ze则zei贼zen怎zeng增zha炸zhai债zhan站zhang张zhao找zhe这zhen真zheng正zhi之zhong中zhou周zhu主zhua抓zhuai拽zhuan专zhuang装zhui追zhun准zhuo着zi字zong总zou走zu组zuan钻zui最zun尊zuo做';
const words =
	'nihao你好 ceshi测试 zhongguo中国 zhongwen中文 women我们 nimen你们 tamen他们 shijie世界 xiexie谢谢 pengyou朋友 zaijian再见 mingzi名字 shenme什么 zenme怎么 zheshi这是 zhege这个 nage那个 yige一个 jintian今天 mingtian明天 zuotian昨天 xianzai现在 shijian时间 wenti问题 keyi可以 xihuan喜欢 zhidao知道 gongzuo工作 xuexi学习 laoshi老师 xuesheng学生 diannao电脑 shouji手机 wenjian文件 chengxu程序 daima代码 ruanjian软件 xitong系统 yonghu用户 mima密码 cuowu错误 wangluo网络 beijing北京 shanghai上海 meiyou没有 duibuqi对不起 qingwen请问 duoshao多少 weishenme为什么 hanyu汉语 yingyu英语 putonghua普通话 hanzi汉字 pinyin拼音 jiaoshenme叫什么 chifan吃饭 shuijiao睡觉 huijia回家';

const bySyllable = new Map(
	[...characters.matchAll(/([a-z]{1,12})(\p{Script=Han})/gu)].map(([, key = '', value = '']) => [
		key,
		value,
	]),
);
const byWord = new Map(
	[...words.matchAll(/([a-z]{1,20})(\p{Script=Han}+)/gu)].map(([, key = '', value = '']) => [
		key,
		value,
	]),
);
const longestWord = Math.max(...[...byWord.keys()].map(({ length }) => length));
const longestSyllable = 6;

/** Syllables with or without tone marks or tone numbers → simplified characters. */
export function chineseFromPinyin(text: string): string {
	const plain = text
		.normalize('NFD')
		.replace(/u\u0308/g, 'v')
		.replace(/[\u0300-\u036F]/g, '')
		.replace(/(?<=[a-z])[1-5]/gi, '')
		.normalize('NFC')
		.toLowerCase();
	return plain
		.replace(/[a-z]+(?:[ '’]+[a-z]+)*/g, (run) => convertRun(run.replace(/[ '’]+/g, ' ')))
		.replace(/,\s*/g, '，')
		.replace(/\.(?=\s|$)\s*/g, '。')
		.replace(/!\s*/g, '！')
		.replace(/\?\s*/g, '？');
}

function convertRun(run: string): string {
	const letters = run.replaceAll(' ', '');
	let out = '';
	for (let at = 0; at < letters.length; ) {
		let size = Math.min(longestWord, letters.length - at);
		while (size > 1 && !byWord.has(letters.slice(at, at + size))) size--;
		if (size > 1) {
			out += byWord.get(letters.slice(at, at + size)) ?? '';
			at += size;
			continue;
		}
		size = Math.min(longestSyllable, letters.length - at);
		while (
			size > 0 &&
			!(bySyllable.has(letters.slice(at, at + size)) && goesOn(letters, at + size))
		)
			size--;
		if (size === 0) {
			out += letters[at] ?? '';
			at++;
			continue;
		}
		out += bySyllable.get(letters.slice(at, at + size)) ?? '';
		at += size;
	}
	return out;
}

/** A syllable must leave letters that can start the next one. */
function goesOn(letters: string, at: number): boolean {
	return at >= letters.length || /[a-hj-tw-z]/.test(letters[at] ?? '');
}
