//! The pools' figures and limits, on the device that `WARPCELL_DEVICE` names. One test, for no other may use memory meanwhile.

use warpcell as gpu;

#[test]
fn figures_and_limits() {
    let pool = gpu::memory_pool();
    pool.free_all_blocks();
    let (used, total) = (pool.used_bytes(), pool.total_bytes());
    assert_eq!((pool.free_bytes(), pool.n_free_blocks(), pool.get_limit()), (total - used, 0, 0));

    // Large blocks are kept when nothing uses them, and used again.
    let a = gpu::zeros::<u8>(4 << 20);
    assert_eq!(pool.used_bytes(), used + (4 << 20));
    assert_eq!(pool.total_bytes(), total + (4 << 20));
    drop(a);
    assert_eq!((pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()), (used, 4 << 20, 1));
    let a = gpu::zeros::<u8>(4 << 20);
    let small = gpu::zeros::<f32>(100);
    assert_eq!(pool.free_bytes(), 0);
    assert_eq!(pool.used_bytes(), used + (4 << 20) + 512);
    drop((a, small));
    let text = format!("{pool:?}");
    assert!(text.contains("used_bytes") && text.contains("limit: None"), "{text}");
    pool.free_all_blocks();
    assert_eq!((pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()), (used, 0, 0));

    // What exceeds a limit fails, but not before unused blocks were given back.
    let kept = gpu::zeros::<u8>(2 << 20);
    drop(gpu::zeros::<u8>(3 << 20));
    assert_eq!(pool.free_bytes(), 3 << 20);
    let limit = pool.total_bytes() + (1 << 20);
    pool.set_limit(limit);
    assert_eq!(pool.get_limit(), limit);
    let b = gpu::try_zeros::<u8>(4 << 20).expect("the unused block makes room");
    assert_eq!(pool.free_bytes(), 0);
    let error = gpu::try_zeros::<u8>(8 << 20).unwrap_err();
    let gpu::Error::OutOfMemory { requested, pooled, limit: allowed, .. } = &error else { panic!("{error}") };
    assert_eq!((*requested, *pooled, *allowed), (8 << 20, pool.total_bytes(), Some(limit)));
    let text = error.to_string();
    assert!(text.contains("8388608 bytes were asked for"), "{text}");
    assert!(text.contains(&format!("the pool holds {pooled} of the {limit} to which it is limited")), "{text}");
    drop((kept, b));
    pool.set_limit(0);
    assert_eq!(pool.get_limit(), 0);

    // Fractions of all memory.
    pool.set_limit(0.5);
    let half = pool.get_limit();
    pool.set_limit(0.25);
    assert!(half > 0 && half.abs_diff(2 * pool.get_limit()) <= 2);
    pool.set_limit(0.0);
    let panic = std::panic::catch_unwind(|| gpu::memory_pool().set_limit(1.5)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("1.5 is not a fraction of the memory"));

    // Memory that is not there at all.
    let error = gpu::try_zeros::<u8>(1 << 50).unwrap_err();
    assert!(matches!(error, gpu::Error::OutOfMemory { requested, limit: None, .. } if requested == 1 << 50), "{error}");

    let pinned = gpu::pinned_memory_pool();
    pinned.set_limit(64 << 20);
    assert_eq!(gpu::array(&[1.5]).item(), 1.5);
    assert!(pinned.used_bytes() <= pinned.total_bytes());
    pinned.free_all_blocks();
    assert_eq!((pinned.used_bytes(), pinned.total_bytes(), pinned.n_free_blocks()), (0, 0, 0));
    pinned.set_limit(0);
}
