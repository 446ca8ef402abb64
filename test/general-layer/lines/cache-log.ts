import type { WarningLines } from './types.js';

const MAIN = 'shop/src/main/java/com/shop/OrderService.java';

/** Caches, queues and logs. */
export const CACHE_LOG_LINES: WarningLines = {
  'g-redis-keys': {
    bad: [
      'r.execute_command("KEYS", "order:*")',
      'Set<String> keys = redisTemplate.keys("order:*");',
      'Set<String> keys = jedis.keys(pattern);',
      'const keys = await redis.keys(`user:${id}:*`);',
      'redis-cli keys "session:*" | xargs redis-cli del',
    ],
    good: [
      'Cursor<String> cursor = redisTemplate.scan(options);',
      'for (const key of Object.keys(map)) {',
      "const keys = await redis.smembers('order:keys');",
      'map.keys()',
      '// redisTemplate.keys("order:*")',
    ],
  },
  'g-redis-flush': {
    bad: [
      'jedis.flushAll();',
      'await redis.flushdb();',
      'redis-cli -h redis flushall',
      'connection.serverCommands().flushDb();',
    ],
    good: ['redisTemplate.delete(key);', 'writer.flush();', 'response.flushBuffer();', 'entityManager.flush();'],
  },
  'g-setnx-without-expire': {
    bad: [
      'Boolean ok = redisTemplate.opsForValue().setIfAbsent(key, value);',
      "if (await redis.setnx(key, '1')) {",
      'ok, err := rdb.SetNX(ctx, key, 1, 0).Result()',
      "redis.call('setnx', KEYS[1], 1)",
    ],
    good: [
      'redisTemplate.opsForValue().setIfAbsent(key, value, 30, TimeUnit.SECONDS);',
      "await redis.set(key, id, 'PX', 30000, 'NX');",
      'ok, err := rdb.SetNX(ctx, key, 1, 30*time.Second).Result()',
      'map.putIfAbsent(key, value);',
    ],
  },
  'g-unlock-without-owner': {
    bad: [
      'redisTemplate.delete(lockKey);',
      'await redis.del(`lock:order:${id}`);',
      'cache.delete(lock_key)',
      'lock.forceUnlock();',
    ],
    good: [
      'lock.unlock();',
      'redisTemplate.execute(UNLOCK_SCRIPT, keys, requestId);',
      'cache.delete(key_block)',
      'redisTemplate.delete(orderKey);',
    ],
  },
  'g-mq-auto-ack': {
    bad: [
      'channel.basicConsume(QUEUE, true, consumer);',
      'channel.consume(queue, handle, { noAck: true });',
      '      acknowledge-mode: none',
      'enable.auto.commit=true',
    ],
    good: [
      'channel.basicConsume(QUEUE, false, consumer);',
      'channel.consume(queue, handle, { noAck: false });',
      '      acknowledge-mode: manual',
      'enable.auto.commit=false',
    ],
  },
  'g-mq-consumer-idempotent': {
    bad: [
      '@RabbitListener(queues = "order.cancel")',
      '    @KafkaListener(topics = "pay-result", groupId = "order")',
      '@RocketMQMessageListener(topic = "order", consumerGroup = "stock")',
    ],
    good: [
      'rabbitTemplate.convertAndSend("order.cancel", id);',
      '@EventListener',
      'import org.springframework.kafka.annotation.KafkaListener;',
      'kafkaTemplate.send("pay-result", id);',
    ],
  },
  'g-personal-data-in-log': {
    bad: [
      "console.log('send sms to', user.phone);",
      'log.info("register mobile={}", mobile);',
      'logger.debug(`id card ${form.idCard}`);',
      'logging.info("user %s", user.real_name)',
      'log.info("bind " + user.getMobile() + " ok");',
    ],
    good: [
      "console.log('send sms to', maskPhone(user.phone));",
      'log.info("register user={}", userId);',
      'const phone = form.phone;',
      "console.log('server started');",
      "logger.debug('Username or password is missing')",
      'log.error("get phoneNumber failed, code={}", code, e);',
    ],
  },
  'g-credential-in-log': {
    bad: [
      'log.info("login ok, token={}", token);',
      "console.log('wx token', res.access_token);",
      'log.debug("refresh " + refreshToken);',
      'console.log(`secret ${config.appSecret}`);',
    ],
    good: [
      'log.info("login ok, userId={}", userId);',
      'log.debug("token 长度 {}", token.length());',
      'log.warn("token expired, user={}", name);',
      '// console.log(token);',
      'log.info("tokenCount={}", tokenCount);',
    ],
  },
  'g-print-stack-trace': {
    path: MAIN,
    bad: ['e.printStackTrace();', 'System.out.println("order " + id);', 'System.err.println(e);'],
    good: [
      'log.error("close order {} failed", id, e);',
      '// e.printStackTrace();',
      'out.println("ok");',
      'e.printStackTrace(writer);',
    ],
  },
  'g-log-error-without-stack': {
    bad: [
      'log.error("退款失败：{}", e.getMessage());',
      'logger.error(e.getMessage());',
      'log.warn("导出异常" + e.getMessage());',
    ],
    good: [
      'log.error("退款失败 {}", orderNo, e);',
      'log.error("退款失败：{}", e.getMessage(), e);',
      'return Result.fail(e.getMessage());',
      'log.debug("msg {}", message.getMessage());',
    ],
  },
  'g-log-concatenation': {
    path: MAIN,
    bad: [
      'log.info("orderId : " + orderId);',
      'logger.debug("sql: " + sql);',
      'log.info("cost " + (end - start) + "ms");',
    ],
    good: [
      'log.info("orderId {}", orderId);',
      'String msg = "orderId " + orderId;',
      '// log.info("orderId " + orderId);',
      'log.info("下单成功");',
    ],
  },
  'g-sql-log-stdout': {
    path: 'src/main/resources/application-prod.yml',
    bad: [
      '    log-impl: org.apache.ibatis.logging.stdout.StdOutImpl',
      '    show-sql: true',
      'logging.level.root=debug',
    ],
    good: [
      '    #log-impl: org.apache.ibatis.logging.stdout.StdOutImpl',
      '    show-sql: false',
      'logging.level.root=info',
      '    log-impl: org.apache.ibatis.logging.slf4j.Slf4jImpl',
    ],
  },
};
