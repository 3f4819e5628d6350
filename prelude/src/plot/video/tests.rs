//! Frames, colours, sizes and files of videos.

use super::*;
use crate::cell::representations_of;
use crate::testing::panic_message;
use ndarray::{Array2, Array3, Array4, array};

/// The frames of an animated PNG, how often they are shown, and the seconds of each.
fn decoded(bytes: &[u8]) -> (Vec<RgbImage>, u32, f64) {
    let mut decoder = ::png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    let mut seconds = 0.0;
    let mut frame = || {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let frame = reader.info().frame_control().unwrap();
        seconds = f64::from(frame.delay_num) / f64::from(frame.delay_den);
        RgbImage::from_raw(info.width, info.height, pixels).unwrap()
    };
    let frames = (0..control.num_frames).map(|_| frame()).collect();
    (frames, control.num_plays, seconds)
}

#[test]
fn frames_are_shown_in_their_order_with_the_same_colours_for_the_same_numbers() {
    let images = Array3::from_shape_fn((3, 2, 4), |(t, i, j)| (10 * t + 4 * i + j) as f64);
    let video = video(&images).fps(4.0).cmap("gray");
    assert_eq!(format!("{video:?}"), "Video: 3 frames of 256×512 pixels, 4 a second");
    let (frames, plays, seconds) = decoded(&video.shown.drawing().small().png);
    assert_eq!((frames.len(), plays, seconds), (3, 0, 0.25));
    for (t, frame) in frames.iter().enumerate() {
        assert_eq!(frame.dimensions(), (512, 256));
        for (i, j) in [(0, 0), (1, 3), (0, 2)] {
            let expected = (images[[t, i, j]] / 27.0 * 255.0).round() as i32;
            let pixel = frame.get_pixel(128 * j as u32 + 64, 128 * i as u32 + 64).0;
            assert!((i32::from(pixel[0]) - expected).abs() <= 1, "{t} {i} {j}: {pixel:?}, not {expected}");
        }
    }
    let (_, plays, _) = decoded(&video.repeat(false).limits(0.0, 1.0).shown.drawing().small().png);
    assert_eq!(plays, 1);
}

#[test]
fn many_kinds_of_frames() {
    let text = |video: Video| format!("{video:?}");
    let red = Array4::from_shape_fn((2, 300, 300, 3), |(t, _, _, c)| if c == 0 { 120 * t as u8 } else { 0 });
    let colored = video(&red);
    assert_eq!(decoded(&colored.shown.drawing().small().png).0[1].get_pixel(5, 5).0, [120, 0, 0]);
    assert_eq!(text(colored), "Video: 2 frames of 300×300 pixels, 10 a second");
    let device = crate::zeros::<f32>((4, 16, 16));
    assert_eq!(text(video(&device)), "Video: 4 frames of 256×256 pixels, 10 a second");
    let image = array![[1.0f32, 2.0], [3.0, f32::NAN]];
    assert_eq!(text(video(vec![image.clone(), &image * 2.0])), "Video: 2 frames of 256×256 pixels, 10 a second");
    assert_eq!(text(video(&[image.view(), image.view()])), "Video: 2 frames of 256×256 pixels, 10 a second");
    let plots = [crate::plot(&[1, 2]), crate::plot(&[2, 1])];
    assert_eq!(text(video(&plots)), "Video: 2 frames of 420×640 pixels, 10 a second");
    let pairs = vec![crate::subplots((1, 2), [crate::plot(&[1]), crate::plot(&[2])]); 3];
    assert!(text(video(&pairs[..2])).starts_with("Video: 2 frames of "), "{pairs:?}");
    let shown = representations_of(&video(&device)).unwrap();
    assert!(shown["image/png"].as_str().unwrap().starts_with("iVBOR"));
}

#[test]
fn a_long_video_is_shown_smaller_and_saved_whole() {
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let images = Array4::from_shape_simple_fn((20, 256, 256, 3), &mut noise);
    let film = video(&images);
    let small = film.shown.drawing().small().png.clone();
    assert!(small.len() <= MOST_BYTES, "{}", small.len());
    let (frames, _, _) = decoded(&small);
    assert!(frames.len() == 20 && frames[0].width() < 256 && frames[0].width() > 100, "{:?}", frames[0].dimensions());
    let folder = tempfile();
    film.save(folder.join("noise.png"));
    let (frames, _, _) = decoded(&std::fs::read(folder.join("noise.png")).unwrap());
    assert_eq!(frames[19].get_pixel(3, 200).0[1], images[[19, 200, 3, 1]]);
    let error = film.try_save(folder.join("noise.gif")).unwrap_err().to_string();
    assert!(error.contains("only as an animated PNG; write `.save(") && error.ends_with("noise.png\")`"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_too_long_at_its_smallest_has_fewer_frames_and_says_so() {
    let mut state = 7u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8)
    };
    let film = video(&Array3::from_shape_simple_fn((500, 10, 1000), &mut noise)).fps(50.0);
    let Small { png, every, .. } = film.shown.drawing().small().clone();
    assert!(png.len() <= MOST_BYTES && every > 1, "{} {every}", png.len());
    let (frames, _, seconds) = decoded(&png);
    assert_eq!((frames.len(), frames[0].dimensions()), (500usize.div_ceil(every), (1000, 10)));
    assert!((seconds - every as f64 / 50.0).abs() < 1e-3, "{seconds}");
    let text = format!("{film:?}");
    assert_eq!(
        text,
        format!(
            "Video: 500 frames of 10×1000 pixels, 50 a second, of {every} frames one is shown; `.save(\"video.png\")` writes all of it"
        )
    );
}

#[test]
fn large_images_keep_their_form() {
    let large = Array3::from_shape_fn((1, 1100, 2200), |(_, i, j)| if i < 550 && j < 1100 { 1.0f32 } else { 0.0 });
    let video = video(&large).cmap("gray");
    assert!(format!("{video:?}").starts_with("Video: 1 frame of 367×734 pixels, 10 a second"), "{video:?}");
    let (frames, _, _) = decoded(&video.shown.drawing().small().png);
    assert_eq!((frames[0].get_pixel(100, 50).0, frames[0].get_pixel(600, 300).0), ([255; 3], [0; 3]));
}

#[test]
fn times_of_frames_are_as_exact_as_can_be() {
    let times = [24.0, 29.97, 60.0, 90.0, 0.5, 0.001].map(delay);
    assert_eq!(times, [[1000, 24_000], [1000, 29_970], [1000, 60_000], [11, 1000], [2000, 1000], [1000, 1]]);
}

#[test]
fn colors_stand_for_numbers_or_are_refused() {
    let message = |work: &dyn Fn() -> Video| panic_message(|| drop(work()));
    let image = || video(&Array3::<f32>::from_elem((2, 3, 3), f32::NAN));
    assert_eq!(
        format!("{:?}", image().cmap("magma").limits(0.0, 1.0)),
        "Video: 2 frames of 255×255 pixels, 10 a second"
    );
    expect_test::expect![[r#"
        Video::cmap: the images have colours in them, which do not stand for numbers; leave this call out
        Video::limits: the frames are plots, which have colours of their own; call it on each plot
        Video::fps: 2000 frames a second cannot be shown; give a number over 0 and at most 90, such as `.fps(30.0)`
        Video::fps: NaN frames a second cannot be shown; give a number over 0 and at most 90, such as `.fps(30.0)`"#]]
    .assert_eq(
        &[
            message(&|| video(&Array4::<u8>::zeros((2, 3, 3, 4))).cmap("gray")),
            message(&|| video(vec![crate::plot(&[1, 2])]).limits(0.0, 1.0)),
            message(&|| image().fps(2000.0)),
            message(&|| image().fps(f64::NAN)),
        ]
        .join("\n"),
    );
}

fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("warpcell-video-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_is_no_video_is_refused() {
    let error = |frames: Result<Video>| frames.map(drop).unwrap_err().to_string();
    assert!(error(try_video(&Array3::<f32>::zeros((0, 3, 3)))).contains("no frames"));
    expect_test::expect![[r#"
        video: frame 0 has 2×3, but frame 1 has 3×2; give all frames one shape, such as that of the first one
        video: the shape [3, 4] is that of one image; show it by `gpu::imshow(&x)`, or give an array of shape (frames, rows, columns)
        video: the shape [2, 0, 3] has no elements; an image needs at least one row and one column
        video: the shape [2, 3, 8, 9] has the colours on axis 1, and they belong on the last one; write `gpu::video(&x.view().permuted_axes((0, 2, 3, 1)))`"#]]
    .assert_eq(
        &[
            error(try_video(vec![Array2::<f32>::zeros((2, 3)), Array2::zeros((3, 2))])),
            error(try_video(&Array2::<f32>::zeros((3, 4)))),
            error(try_video(&Array3::<f32>::zeros((2, 0, 3)))),
            error(try_video(&Array4::<f32>::zeros((2, 3, 8, 9)))),
        ]
        .join("\n"),
    );
}
