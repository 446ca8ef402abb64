import { describe, expect, it } from 'vitest';
import { looksRandom, maskPersonal, secretIn, secretsIn, withoutSecrets } from '../../src/text/index.js';

/** Written in two parts, so that no scanner takes the samples for keys of somebody. */
const HEX = '9f3a7c1e5b2d8046';
const ROBOT = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const JWT = `${'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'}.${'eyJzdWIiOiIxMzU3OTA4NjQyIn0'}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV`;

const SECRETS: [text: string, secret: string][] = [
  ['password: Hq7zP2mWx9Lk', 'Hq7zP2mWx9Lk'],
  ['  spring.datasource.password=Ab12Cd34Ef', 'Ab12Cd34Ef'],
  ['DB_PASSWORD=qwer1234tyui', 'qwer1234tyui'],
  [
    `AWS_SECRET_ACCESS_KEY=${'k7Gh2LmPq9RtVw4XyZ1b'}${'Nc8DfHj3KsQa5UeWi6Ox'}`,
    `${'k7Gh2LmPq9RtVw4XyZ1b'}${'Nc8DfHj3KsQa5UeWi6Ox'}`,
  ],
  ['jdbc:mysql://root:pw@10.0.0.1:3306/shop', 'pw'],
  ['jdbc:postgresql://db/shop?user=app&password=Zx9kLm', 'Zx9kLm'],
  ['redis://:s3cr3tPw@cache:6379', 's3cr3tPw'],
  ['测试环境的密码是 Zxcv1234!@#，别外传', 'Zxcv1234!@#'],
  ['口令：hunter2hunter2', 'hunter2hunter2'],
  [`Authorization: Bearer ${JWT}`, JWT],
  [`SecretId 用 ${'AKIDz8krbsJ5yKBZQpn7'}${'4WFkmLPx3gnPhESA'}`, `${'AKIDz8krbsJ5yKBZQpn7'}${'4WFkmLPx3gnPhESA'}`],
  [`https://oapi.dingtalk.com/robot/send?access_token=${HEX.repeat(4)}`, HEX.repeat(4)],
  [`https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${ROBOT}`, ROBOT],
  [`https://open.feishu.cn/open-apis/bot/v2/hook/${ROBOT}`, ROBOT],
];

describe('secretIn', () => {
  it.each(SECRETS)('finds %s', (text, secret) => {
    const [found] = secretsIn(text);
    expect(text.slice(found?.start, found?.end)).toBe(secret);
    expect(found?.what).toMatch(/^像是/);
    expect(withoutSecrets(`前文 ${text} 后文`)).toBe(`前文 ${text.replace(secret, '***')} 后文`);
    expect(secretIn(withoutSecrets(text))).toBeUndefined();
  });

  it.each([
    'password: string',
    'password: ${DB_PASSWORD}',
    'password = config.password2.value3',
    'password=process.env.PW2X3',
    'token = getToken2(request3)',
    'token: accessToken',
    'token: 1200',
    'secret: hmacSha256Key',
    'secret_key: AES256',
    'API_KEY=your-key-here',
    'api_key: sk-xxxxxxxxxxxxxxxxxxxxxxxx',
    'AKIAIOSFODNN7EXAMPLE',
    '密码是必填项',
    '密码是 BCrypt 加密的',
    '密钥是 apiV3Key',
    '密码：********',
    'webhook/send?key=xxx',
    'https://oapi.dingtalk.com/robot/send?access_token=XXXXXX',
    'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<你的key>',
    'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa',
    'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-1111-2222-3333-444444444444',
    'redis://user:password@host',
    'jdbc:mysql://root:${PW}@host/db',
    'http://localhost:8080/a@b',
    'git@github.com:team/repo.git',
  ])('leaves alone: %s', (text) => {
    expect(secretIn(text)).toBeUndefined();
  });

  it('takes a word without quotes for a variable in code', () => {
    expect(secretIn('password = hash12of34it', 'code')).toBeUndefined();
    expect(secretIn('password = "hash12of34it"', 'code')).toBeDefined();
  });

  it.each([
    'password:',
    'a://b:',
    'eyJ',
    'jdbc:a?',
    'token=aaaaaaaa1 ',
    'eyJaaaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '密码是',
  ])('ends on a megabyte of %s', (piece) => {
    expect(withoutSecrets(piece.repeat(1_000_000 / piece.length)).length).toBeGreaterThan(0);
  });
});

describe('looksRandom', () => {
  it.each(['hunter2hunter2', 'Hq7zP2mWx9Lk', 'Zxcv1234!@#', 'a1#bcdef', 'Hq7zPmWxLk'])('%s', (word) => {
    expect(looksRandom(word)).toBe(true);
  });
  it.each([
    'OrderService',
    'cancelExpired',
    'user.name2',
    'base64',
    'sha256Hex',
    '2026-11-30',
    '12345678',
    './a12/b34',
  ])('not %s', (word) => {
    expect(looksRandom(word)).toBe(false);
  });
});

describe('maskPersonal', () => {
  it.each([
    ['用密码 hunter2hunter2 登录 手机 13800138000', '用密码 *** 登录 手机 ***'],
    ['身份证11010119900307123X，邮箱 li.lei@mail.example.cn。', '身份证***，邮箱 ***。'],
    ['卡号 6222 0212 3456 7890 123 和 138-0013-8000', '卡号 *** 和 ***'],
    ['+8613800138000 的 pwd=abc', '*** 的 pwd=***'],
    ['密碼：Zxcv1234!@#', '密碼：***'],
    ['口令hunter2hunter2', '口令***'],
  ])('%s', (text, masked) => {
    expect(maskPersonal(text)).toBe(masked);
  });

  it.each([
    '错误码 ORA-00942、40001 和 HTTP 500，版本 1.2.3',
    '2026-11-30 12:30:45 起，20261130 止，金额 0.12345678901234567',
    'token 过期，报 ERR_TOKEN_401',
    'token is undefined',
    '密码加密用 BCrypt，密码 AES256 存储',
    '密码为空时报错',
    'OrderService.cancelExpired2 里的 accessToken2Check',
    'trace 4bf92f3577b34da6a3ce929d0e0e4736',
    '192.168.100.100 @GetMapping',
  ])('leaves readable: %s', (text) => {
    expect(maskPersonal(text)).toBe(text);
  });
});
